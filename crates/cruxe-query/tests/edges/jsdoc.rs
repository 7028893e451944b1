//! Types that comments give to JavaScript, as TypeScript's compiler reads them.

use crate::support::check;

const HASH: (&str, &str) = ("lib/hash.js", "class Hash {\n\tupdate () { return this }\n}\nmodule.exports = Hash\n");
const STORE: (&str, &str) = ("lib/store.js", "class Store {\n\tupdate () {}\n}\nmodule.exports = { Store }\n");

#[test]
fn a_comment_types_parameters_results_variables_fields_and_casts() {
    let main = "\
/** @typedef {import('./lib/hash')} Hash */
/** @typedef {import('./lib/store').Store} Store */

/**
 * @param {Hash} hash what is fed
 * @param {Store=} store another
 * @param {Hash[]} many
 * @param {{ inner: Hash, other: Store }} both
 */
function feed (hash, store, many, both) {
  hash.update() // <-
  store.update()
  many[0].update() // <-
  many.map((one) => one.update()) // <-
  both.inner.update() // <-
  both.other.update()
}

/** @returns {Promise<Hash>} soon */
async function make () {}
/** @returns {Store} now */
const take = () => null

class Feeder {
  /** @type {Hash | undefined} */
  kept = undefined

  /**
   * @param {Map<string, Hash>} known
   * @param {Store} store
   */
  constructor (known, store) {
    this.known = known
    /** @type {Hash | null} */
    this.made = null
    this.store = store
  }

  /** @param {Hash} hash */
  static of (hash) { return hash.update() } // <-

  async run () {
    this.kept.update() // <-
    this.known.get('x').update() // <-
    this.made.update() // <-
    this.store.update()
    ;(await make()).update() // <-
    take().update()
    /** @type {Hash} */
    const local = JSON.parse('x')
    local.update() // <-
    const cast = /** @type {Hash} */ (JSON.parse('x'))
    cast.update() // <-
    const wrong = /** @type {Store} */ (JSON.parse('x'))
    wrong.update()
  }
}
";
    check("lib/hash.js Hash.update", &[HASH, STORE, ("main.js", main)]);
}

#[test]
fn types_are_imported_and_named_by_comments() {
    let types = "\
/** @typedef {import('./lib/hash')} Hash */

/**
 * @typedef {object} Options
 * @property {Hash} hash
 * @property {import('./lib/store').Store} [store]
 */

/**
 * @callback Feed
 * @param {Hash} hash
 * @param {Options} options
 * @returns {void}
 */
";
    let main = "\
/**
 * @import {
 *   Options,
 *   Feed as Feeding
 * } from './types'
 */
/** @import Other, { Nothing } from './lib/hash' */

/**
 * @param {Options} options
 * @param {Other} other
 * @param {import('./types').Hash} handed on
 */
function run (options, other, handed) {
  options.hash.update() // <-
  options.store.update()
  other.update() // <-
  handed.update() // <-
}

/** @type {Feeding} */
const feed = (hash, { hash: inner, store }) => {
  hash.update() // <-
  inner.update() // <-
  store.update()
}
";
    check("lib/hash.js Hash.update", &[HASH, STORE, ("types.js", types), ("main.js", main)]);
}

#[test]
fn a_comment_that_names_nothing_known_or_is_about_something_else_says_nothing() {
    let main = "\
const Hash = require('./lib/hash') // a type is known by its name only where it is in sight

/** @param {Digest} digest nobody declares such a type */
function unknown (digest) { digest.update() }

/**
 * @param {Hash} hash
 * @param {Hash} other
 */
const first = (hash) => hash.update(), // <-
  second = (other) => other.update()

/** @param {Hash} far */
const one = 1
function other (far) { far.update() }

/** @returns {Nothing} */
function made () { return new Hash() }
made().update() // <-

/** An example: @param {Hash} shown */
function example (shown) { shown.update() }
";
    let typed = "\
import Hash from './lib/hash'
/** @param {Hash} fed TypeScript reads types from the code alone */
export function feed (fed) { fed.update() }
";
    check("lib/hash.js Hash.update", &[HASH, STORE, ("main.js", main), ("typed.ts", typed)]);
}

#[test]
fn a_class_goes_before_a_comment_that_writes_it_out() {
    let main = "\
/**
 * @typedef {Object} Context
 * @property {string[]} args
 */

class Context {
  init () {}
}
class Other {
  init () {}
}
const context = new Context()
context.init() // <-
new Other().init()
";
    check("Context.init", &[("main.js", main)]);
}
