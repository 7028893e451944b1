-module(money).
sum(List) -> lists:sum(List).
