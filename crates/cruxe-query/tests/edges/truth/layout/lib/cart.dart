import 'money.dart';
class Cart extends Base { // «Base»
  int total() => addUp(1, 2); // «addUp»
}
void main() { Cart().total(); } // «Cart Cart.total»
