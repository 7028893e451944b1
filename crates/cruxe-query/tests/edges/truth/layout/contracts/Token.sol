import "./Owned.sol";
contract Token is Owned { // «Owned»
    function move() public onlyOwner { check(); } // «Owned.onlyOwner Token.check»
    function check() internal {}
}
