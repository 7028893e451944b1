contract Owned {
    modifier onlyOwner() { _; }
}
