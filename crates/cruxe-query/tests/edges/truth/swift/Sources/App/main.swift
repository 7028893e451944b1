import Shop

func make() -> Basket { Order.Builder().build() } // «Basket Order Order.Builder Builder.build»

let order = make() // «make»
if order.isOpen { print(order.describe()) } // «order Order.isOpen Order.describe»
make().close().total() // «make Order.close Order.total»
switch order.state { // «order Order.state»
case .closed: print(Order.limit) // «State.closed Order Order.limit»
default: break
}
let priced: Priced = order // «Priced order»
priced.total() // «priced Priced.total»
let totals = [order].map { $0.total() } // «order -Order.total +Priced.total»
