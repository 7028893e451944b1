#!/bin/bash
. lib/shop.sh

MODE=debug
describe # «describe»
result=$(total | tail -1) # «total»
trap fail EXIT # «fail»
[ -n "$result" ] || fail "nothing" # «result fail»
