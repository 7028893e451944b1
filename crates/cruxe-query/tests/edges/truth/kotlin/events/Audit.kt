package shop.events

annotation class Audited(val level: Int = 0)

@Audited(level = 2) // «Audited Audited.level»
class Vault {
    @Audited // «Audited»
    fun open() {} // «!Vault.open»
}
