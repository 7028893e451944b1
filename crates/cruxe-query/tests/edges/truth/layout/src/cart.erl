-module(cart).
-record(item, {price}).
total(Items) -> money:sum(Items). % «money:sum»
start() -> total([#item{price = 1}]). % «cart:total cart:item»
