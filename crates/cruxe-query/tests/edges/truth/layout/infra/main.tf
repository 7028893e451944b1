variable "region" {}
locals { prefix = "x" }
resource "aws_instance" "web" {
  region = var.region # «var.region»
  tags   = local.prefix # «local.prefix»
}
output "ip" { value = aws_instance.web.ip } # «aws_instance.web»
