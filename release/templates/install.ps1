# Installs cruxe @VERSION@ for the user who runs it. Made by scripts/release.
#
#   powershell -ExecutionPolicy Bypass -File install.ps1
#
# Nothing needs an administrator. The archive has to have the checksum that stands in this script.
$ErrorActionPreference = "Stop"
Set-StrictMode -Version Latest

$version = "@VERSION@"
$downloads = if ($env:CRUXE_DOWNLOADS) { $env:CRUXE_DOWNLOADS } else { "@DOWNLOADS@" }
$bin = if ($env:CRUXE_BIN) { $env:CRUXE_BIN } else { Join-Path $env:LOCALAPPDATA "Programs\cruxe" }
$sums = @{
@SUMS@
}

# Programs for x64 run on arm64 too.
$platform = "x86_64-windows"
if (-not $sums.ContainsKey($platform)) { throw "release $version has no build for $platform" }
$name = "cruxe-$version-$platform"
$folder = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $folder | Out-Null
try {
    $archive = Join-Path $folder "$name.zip"
    Invoke-WebRequest -UseBasicParsing -Uri "$downloads/$name.zip" -OutFile $archive
    $found = (Get-FileHash -Algorithm SHA256 -Path $archive).Hash.ToLowerInvariant()
    if ($found -ne $sums[$platform]) {
        throw "the checksum is $found, it should be $($sums[$platform]); nothing was installed"
    }
    Expand-Archive -Path $archive -DestinationPath $folder
    New-Item -ItemType Directory -Force -Path $bin | Out-Null
    foreach ($program in "cruxe", "codecompass", "cue") {
        $target = Join-Path $bin "$program.exe"
        # A program that runs cannot be written over, but it can be moved out of the way.
        if (Test-Path $target) { Move-Item -Force $target "$target.old" }
        Move-Item (Join-Path $folder "$name\$program.exe") $target
        Remove-Item -Force -ErrorAction SilentlyContinue "$target.old"
    }
} finally {
    Remove-Item -Recurse -Force $folder
}
& (Join-Path $bin "cruxe.exe") --version | Out-Null
if ($LASTEXITCODE -ne 0) { throw "$bin\cruxe.exe does not run here" }
$path = [Environment]::GetEnvironmentVariable("Path", "User")
if (-not (($path -split ";") -contains $bin)) {
    [Environment]::SetEnvironmentVariable("Path", (@($path, $bin) -ne "" -join ";"), "User")
    Write-Output "put $bin onto your PATH; open a new terminal"
}
Write-Output "installed cruxe $version into $bin (cruxe, codecompass, cue)"
Write-Output "next: cruxe install    (makes the agents on this machine use it)"
