//! JavaScript alone: what is required, prototypes, objects that functions make.

use crate::support::check;

#[test]
fn what_a_required_module_exports_as_a_whole_is_the_module_too() {
    let files = [
        (
            "lib/reply.js",
            "function Reply() {}\nfunction build() {}\nmodule.exports = Reply // <-\nmodule.exports.build = build\n",
        ),
        (
            "index.js",
            "const Reply = require('./lib/reply') // <-\nnew Reply() // <-\nReply.build() // <-\nmodule.exports = { Reply } // <-\n",
        ),
        ("other.mjs", "import * as Reply from './lib/reply.js'\nReply.build()\n"),
    ];
    check("lib/reply.js Reply", &files);
    let build = [
        (
            "lib/reply.js",
            "function Reply() {}\nfunction build() {}\nmodule.exports = Reply\nmodule.exports.build = build // <-\n",
        ),
        ("index.js", "const Reply = require('./lib/reply')\nnew Reply()\nReply.build() // <-\n"),
    ];
    check("lib/reply.js build", &build);
}

#[test]
fn what_is_required_is_used_where_it_is_required() {
    let reply = "function Reply () {}\nmodule.exports = Reply // <-\n";
    check(
        "lib/reply.js Reply",
        &[
            ("lib/reply.js", reply),
            ("lib/other.js", "function Reply () {}\nmodule.exports = { Reply }\n"),
            ("a.js", "const Reply = require('./lib/reply') // <-\nnew Reply() // <-\n"),
            ("b.js", "const Reply = require('./lib/other').Reply\nnew Reply()\n"),
        ],
    );
    check(
        "helper.js run",
        &[
            ("helper.js", "function run () {}\nmodule.exports = { run } // <-\n"),
            ("other.js", "function run () {}\nmodule.exports = { run }\n"),
            ("a.js", "require('./helper').run() // <-\nrequire('./other').run()\nrun()\n"),
        ],
    );
}

#[test]
fn a_prototype_has_what_the_values_of_its_class_have() {
    check(
        "Client.request",
        &[(
            "client.js",
            "\
class Client { request () {} }
class Other { request () {} }
const request = Client.prototype.request // <-
Other.prototype.request
",
        )],
    );
}

#[test]
fn what_a_function_gives_its_this_is_a_field_of_what_it_makes() {
    check(
        "lib/hooks.js Hooks.onSend",
        &[
            (
                "lib/hooks.js",
                "\
function Hooks () {
  this.onSend = []
  this.other = 1
}
Hooks.prototype.add = function (fn) {
  this.onSend.push(fn) // <-
}
function Route () {
  this.onSend = null
}
function copy (h) {
  const hooks = new Hooks()
  hooks.onSend = h.onSend.slice() // <-
  return new Route().onSend
}
module.exports = { Hooks, copy }
",
            ),
            ("a.js", "const { Hooks } = require('./lib/hooks')\nnew Hooks().onSend.length // <-\n"),
        ],
    );
}

#[test]
fn a_class_that_makes_itself_is_known() {
    check(
        "headers.js Headers.toJSON",
        &[
            (
                "headers.js",
                "\
export class Headers {
  normalize () { return this }
  toJSON () {}
  static from (thing) { return thing instanceof this ? thing : new this(thing) }
}
class Other { toJSON () {} }
new Other().toJSON()
",
            ),
            (
                "use.js",
                "import { Headers } from './headers.js'\nconst h = Headers.from({}).normalize()\nh.toJSON() // <-\n",
            ),
        ],
    );
}

#[test]
fn a_function_that_a_property_is_given_is_no_name_of_its_file() {
    check(
        "response.js res.send",
        &[
            (
                "response.js",
                "const send = require('send')
const res = Object.create(null)
module.exports = res
res.send = function send(body) {
  return this
}
res.file = function file(path) {
  const stream = send(path)
  return this.send(stream) // <-
}
function make() { return { send() {} } }
",
            ),
            ("other.js", "const { send } = require('koa-send')\nsend()\n"),
        ],
    );
}

#[test]
fn a_prototype_that_is_made_of_another_has_its_methods() {
    check(
        "base.js Base.open",
        &[
            (
                "base.js",
                "function Base() {}
Base.prototype.open = function () {}
module.exports = Base
",
            ),
            (
                "kinds.js",
                "const util = require('util')
const Base = require('./base')
function Child() { Base.call(this) }
util.inherits(Child, Base)
new Child().open() // <-
function Kid() {}
Kid.prototype = Object.create(Base.prototype, { constructor: { value: Kid } })
new Kid().open() // <-
function Sub() {}
Object.setPrototypeOf(Sub.prototype, Base.prototype)
new Sub().open() // <-
function Own() {}
Own.prototype.open = function () {}
util.inherits(Own, Base)
new Own().open()
function Stranger() {}
new Stranger().open()
",
            ),
        ],
    );
}

#[test]
fn what_is_mixed_into_an_object_is_its_own() {
    check(
        "proto.js app.render",
        &[
            (
                "proto.js",
                "var app = exports = module.exports = {}
app.render = function render(name) { return name }
app.listen = function listen() { this.render('x') } // <-
",
            ),
            (
                "make.js",
                "var mixin = require('merge-descriptors')
var proto = require('./proto')
exports = module.exports = create
function create() {
  var app = function (req) { app.render(req) } // <-
  mixin(app, proto, false)
  return app
}
function Page() {}
Object.assign(Page.prototype, proto)
exports.page = () => new Page()
",
            ),
            (
                "use.js",
                "var make = require('./make')\nvar app = make()\napp.render('a') // <-\nmake.page().render('b') // <-\n",
            ),
            ("direct.js", "var proto = require('./proto')\nproto.render('c') // <-\n"),
            ("other.js", "var ejs = require('ejs')\nejs.render('a')\n"),
        ],
    );
}

#[test]
fn a_folder_that_is_required_is_its_index_or_what_its_package_says() {
    check(
        "lib/main.js start",
        &[
            ("index.js", "module.exports = require('./lib/main')\n"),
            ("lib/main.js", "exports.start = function start() {}\n"),
            ("test/a.js", "const whole = require('../')\nwhole.start() // <-\n"),
            ("test/b.js", "const { start } = require('..') // <-\nstart() // <-\n"),
            ("tools/package.json", "{\"name\": \"tools\", \"main\": \"src/entry.js\"}"),
            ("tools/src/entry.js", "exports.start = function start() {}\n"),
            ("test/c.js", "const { start } = require('../tools')\nstart()\n"),
        ],
    );
    check(
        "tools/src/entry.js start",
        &[
            ("lib/main.js", "exports.start = function start() {}\n"),
            ("tools/package.json", "{\"name\": \"tools\", \"main\": \"src/entry.js\"}"),
            ("tools/src/entry.js", "exports.start = function start() {}\n"),
            ("test/c.js", "const { start } = require('../tools') // <-\nstart() // <-\n"),
        ],
    );
}

#[test]
fn a_function_that_is_its_module_is_used_under_whatever_name_it_is_required() {
    check(
        "lib/one.js alpha",
        &[
            ("lib/one.js", "exports = module.exports = alpha // <-\nfunction alpha() {}\n"),
            ("lib/hand.js", "module.exports = require('./one')\n"),
            ("index.js", "module.exports = require('./lib/hand')\n"),
            ("a.js", "const a = require('./lib/one') // <-\na() // <-\nfunction f(a) { a() }\n"),
            ("b.js", "const { x } = require('./lib/one.js')\nconst b = require('./lib/hand') // <-\nb() // <-\n"),
            ("test/c.js", "const app = require('..') // <-\nit('x', () => { app() }) // <-\n"),
            ("test/d.js", "const one = require('one')\none()\nconst two = require('./c')\ntwo()\n"),
        ],
    );
}

#[test]
fn what_a_function_makes_has_the_functions_of_the_object_that_it_returns() {
    check(
        "make.js make.made.close",
        &[
            (
                "make.js",
                "function make() {
  const made = {
    open: function () { this.close() }, // <-
    close() { return 1 },
    state: null
  }
  made.close() // <-
  return made
}
function other() {
  const made = { close() {} }
  made.close()
  return made
}
module.exports = { make, other }
",
            ),
            (
                "use.js",
                "const { make, other } = require('./make')
const door = make()
door.close() // <-
other().close()
",
            ),
        ],
    );
}

#[test]
fn a_handler_s_parameter_is_guessed_to_be_the_object_of_its_name() {
    check(
        "lib/response.js res.send",
        &[
            (
                "lib/response.js",
                "const res = Object.create(http.ServerResponse.prototype)
module.exports = res
res.send = function send(body) {}
res.json = function json(obj) { return this.send(obj) } // <-
",
            ),
            (
                "app.js",
                "app.get('/', function (req, res) { res.send('x') }) // <?
app.get('/', (req, res, next) => res.send('x')) // <?
app.get('/', (req, socket) => socket.send('x'))
function make() { const res = { send() {} }; res.send() }
",
            ),
            ("worker.js", "process.send('x')\nclass Socket { send() {} }\nnew Socket().send()\n"),
        ],
    );
}

#[test]
fn guesses_by_the_name_of_a_variable_are_no_flood() {
    let uses = "app.get('/', (req, res) => res.send('x')) // <?\n".repeat(30);
    check(
        "lib/response.js res.send",
        &[
            ("lib/response.js", "const res = {}\nmodule.exports = res\nres.send = function send(body) {}\n"),
            ("test/app.js", &uses),
        ],
    );
}

#[test]
fn a_class_with_a_name_of_its_own_is_what_its_module_exports() {
    check(
        "lib/cursor.js Cursor",
        &[
            ("lib/cursor.js", "module.exports = class Cursor {\n  clone () { return new Cursor() } // <-\n}\n"),
            ("lib/other.js", "module.exports = class Cursor {}\n"),
            ("a.js", "const Base = require('./lib/cursor') // <-\nclass Sub extends Base {} // <-\n"),
            ("b.js", "const Cursor = require('./lib/other')\nnew Cursor()\n"),
        ],
    );
}

#[test]
fn what_is_required_late_or_handed_on_is_what_the_module_has() {
    check(
        "lib/mime.js lookup",
        &[
            ("lib/mime.js", "const lookup = (x) => x\nmodule.exports = { lookup } // <-\n"),
            ("lib/dns.js", "const lookup = (x) => x\nmodule.exports = { lookup }\n"),
            (
                "a.js",
                "\
const memo = require('memo')
const getMime = memo(() => require('./lib/mime'))
const getDns = memo(() => require('./lib/dns'))
getMime().lookup('a') // <-
getDns().lookup('a')
exports.find = require('./lib/mime').lookup // <-
exports.mime = require('./lib/mime')
",
            ),
            ("b.js", "const a = require('./a')\na.find('x') // <-\na.mime.lookup('x') // <-\na.lookup('x')\n"),
            ("c.js", "module.exports = { mime: require('./lib/mime'), dns: require('./lib/dns') }\n"),
            ("d.js", "const { mime, dns } = require('./c')\nmime.lookup('x') // <-\ndns.lookup('x')\n"),
        ],
    );
}

#[test]
fn exports_is_the_module_itself() {
    check(
        "lib/hooks.js before",
        &[
            (
                "lib/hooks.js",
                "\
exports.before = function () {}
exports.after = function () { return exports.before() } // <-
exports.setup = exports.before // <-
module.exports.before() // <-
function given (exports) { exports.before() }
",
            ),
            ("lib/other.js", "exports.before = function () {}\nexports.before()\n"),
        ],
    );
}

#[test]
fn the_default_of_a_module_that_assigns_its_exports_is_the_module() {
    check(
        "lib/utils.cjs clean",
        &[
            ("lib/utils.cjs", "exports.clean = function () {}\nexports.other = function () {}\n"),
            ("lib/none.mjs", "export function clean() {}\n"),
            ("a.mjs", "import utils from './lib/utils.cjs'\nutils.clean() // <-\nutils.other()\n"),
            ("b.mjs", "import none from './lib/none.mjs'\nnone.clean()\n"),
        ],
    );
}

#[test]
fn a_field_with_a_symbol_as_its_key_has_a_type() {
    check(
        "lib/queue.js Queue.shift",
        &[
            (
                "lib/queue.js",
                "class Queue { shift () {} }\nclass Other { shift () {} }\nmodule.exports = { Queue, Other }\n",
            ),
            ("lib/symbols.js", "module.exports = { kQueue: Symbol('queue'), kOther: Symbol('other') }\n"),
            (
                "pool.js",
                "\
const { Queue, Other } = require('./lib/queue')
const { kQueue, kOther } = require('./lib/symbols')
class Pool {
  constructor () {
    this[kQueue] = new Queue()
    this[kOther] = new Other()
    this.first = this.last = new Queue()
  }
  get [kNext] () { return this[kQueue] }
  next (key) {
    this[kOther].shift()
    this[key].shift()
    this.first.shift() // <-
    this.last.shift() // <-
    return this[kQueue].shift() // <-
  }
}
function drain () {
  const pool = new Pool()
  pool[kQueue].shift() // <-
  pool[kOther].shift()
  const FIRST = 0
  const queues = [new Queue()]
}
",
            ),
        ],
    );
}
