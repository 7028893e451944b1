//! TypeScript, and what JavaScript shares with it.

use crate::support::check;

#[test]
fn shadowed_name_is_not_a_reference() {
    check(
        "load",
        &[(
            "src/a.ts",
            "export function load(): number { return 1 }
const a = load() // <-
function b(load: () => void) { load() }
function c() { const load = 1; return load }
const d = { load: 1 }
const e = `load()`
const f = [1].map(load) // <-
",
        )],
    );
}

#[test]
fn barrels_aliases_defaults_and_namespaces_lead_to_the_definition() {
    check(
        "src/token.ts parse",
        &[
            ("src/token.ts", "export function parse() {}\nexport default parse // <-\n"),
            ("src/index.ts", "export * from './token'\nexport { parse as read } from './token' // <-\n"),
            ("src/a.ts", "import { parse } from './index.js' // <-\nparse() // <-\n"),
            ("src/b.ts", "import { read as r } from '.' // <-\nr() // <-\n"),
            ("src/c.ts", "import * as token from './token'\ntoken.parse() // <-\n"),
            ("src/d.ts", "import whatever from './token' // <-\nwhatever() // <-\n"),
            ("src/e.ts", "import { parse } from 'elsewhere'\nparse()\nfunction f() { JSON.parse('') }\n"),
            ("src/f.js", "const { parse } = require('./token') // <-\nparse() // <-\n"),
        ],
    );
}

#[test]
fn tsconfig_paths_and_workspace_packages_are_followed() {
    check(
        "packages/core/src/index.ts start",
        &[
            (
                "tsconfig.json",
                "{ // paths\n \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@core/*\": [\"packages/core/src/*\"] }, } }",
            ),
            ("packages/core/package.json", "{\"name\": \"@acme/core\", \"main\": \"./dist/index.js\"}"),
            ("packages/core/src/index.ts", "export const start = () => {}\n"),
            ("packages/app/package.json", "{\"name\": \"app\"}"),
            ("packages/app/src/a.ts", "import { start } from '@acme/core' // <-\nstart() // <-\n"),
            ("packages/app/src/b.ts", "import { start } from '@core/index' // <-\nstart() // <-\n"),
            ("packages/app/src/c.ts", "import { start } from '@acme/other'\nstart()\n"),
        ],
    );
}

#[test]
fn methods_are_told_apart_by_the_type_of_the_receiver() {
    check(
        "Repo.find",
        &[(
            "src/a.ts",
            "export class Repo {
  #rows: Row[] = []
  find(id: string): Row { return this.#rows.find((row) => row.id === id)! }
  first() { return this.find('1') } // <-
  chain(): this { return this }
}
interface Row { id: string }
class UserRepo extends Repo { all() { return super.find('2') } } // <-
class Other { find() {} }
class App {
  private other = new Other()
  constructor(private repo: Repo, readonly users: UserRepo) {}
  async run(list: Repo[], maybe?: Repo) {
    this.repo.find('3') // <-
    this.users.find('4') // <-
    this.other.find()
    list[0].find('5') // <-
    list.forEach((repo) => repo.find('6')) // <-
    maybe?.find('7') // <-
    new Repo().chain().find('8') // <-
    const { repo } = this
    repo.find('9') // <-
    const made = await make()
    made.find('10') // <-
    infer().find('11') // <-
    ;[1].find(Boolean)
  }
}
async function make(): Promise<Repo> { return new Repo() }
const infer = () => new Repo()
",
        )],
    );
}

#[test]
fn private_members_are_found_by_their_mark() {
    check(
        "Node.#insert",
        &[(
            "src/a.ts",
            "class Node { #insert() {} add() { this.#insert() } } // <-
class Other { #insert() {} add() { this.#insert() } }
",
        )],
    );
}

#[test]
fn components_and_decorators_are_uses() {
    check(
        "Panel",
        &[
            ("src/panel.tsx", "export function Panel(props: { title: string }) { return <div>{props.title}</div> }\n"),
            (
                "src/app.tsx",
                "import { Panel } from './panel' // <-\nexport const App = () => <Panel title='x'></Panel> // <-\nconst Other = { Panel: 1 }\n",
            ),
        ],
    );
}

#[test]
fn callbacks_and_object_literals_have_the_type_that_is_expected_of_them() {
    check(
        "Context.json",
        &[(
            "src/a.ts",
            "export class Context { json(x: unknown) {} }
type Handler = (c: Context, next: () => void) => void
class Other { json() {} }
function on(path: string, handler: Handler) {}
on('/', (c) => c.json(1)) // <-
const h: Handler = (c) => { c.json(2) } // <-
function use(o: { handler: Handler }) {}
[new Other()].forEach((o) => o.json())
JSON.parse('').json()
",
        )],
    );
    check(
        "Options.depth",
        &[(
            "src/a.ts",
            "interface Options { depth?: number; inner?: Options }
interface Unrelated { depth: number }
function walk(path: string, options: Options) {}
walk('x', { depth: 1 }) // <-
const a: Options = { depth: 2 } // <-
const b: Options = {
  inner: { depth: 3 }, // <-
}
const c: Unrelated = { depth: 4 }
const d = { depth: 5 }
function e(): Options { return { depth: 6 } } // <-
function f({ depth }: Unrelated) { return depth }
",
        )],
    );
}

#[test]
fn a_type_and_a_value_of_one_name_are_used_together() {
    let files = &[
        (
            "src/a.ts",
            "export interface Shape { area: number }
export const Shape = { make() { return { area: 1 } } }
export type Other = number
const Others = 1
",
        ),
        (
            "src/b.ts",
            "import { Shape, type Other } from './a' // <-
const a = Shape.make() // <-
function b(s: Shape) {} // <-
function c(Shape: number) { return Shape }
",
        ),
    ];
    check("src/a.ts Shape", files);
}

#[test]
fn accessors_have_the_type_that_they_return() {
    check(
        "Req.header",
        &[(
            "src/a.ts",
            "class Req { header(name: string) {} }
class Res { header(name: string) {} }
class Context {
  #req = new Req()
  get req(): Req { return this.#req }
  set req(value: Req) { this.#req = value }
  static get last(): Req { return new Req() }
  get res() { return new Res() }
  get again() { return new Req() }
  req2(): Req { return this.#req }
}
function on(c: Context) {
  c.req.header('a') // <-
  Context.last.header('b') // <-
  c.req2().header('c') // <-
  c.res.header('d')
  c.again.header('e') // <-
}
",
        )],
    );
}

#[test]
fn objects_have_the_members_of_what_is_spread_into_them() {
    check(
        "src/schemas.ts email",
        &[
            ("src/schemas.ts", "export function email() {}\nexport function url() {}\n"),
            ("src/checks.ts", "export function email() {}\n"),
            (
                "src/a.ts",
                "import * as schemas from './schemas'
import * as checks from './checks'
const base = { ...schemas, own: 1 }
const other = { ...checks }
const z = { ...base, iso: 2 }
base.email() // <-
other.email()
base.url()
z.email() // <-
const kind: typeof schemas = schemas
kind.email() // <-
",
            ),
        ],
    );
}

#[test]
fn inherited_members_have_the_arguments_that_the_base_is_given() {
    check(
        "Row.save",
        &[(
            "src/a.ts",
            "class Row { save() {} }
class Page { save() {} }
class List<Meta, T> { first!: T; meta!: Meta; get(): T { return this.first } }
class Sorted<T> extends List<string, T> {}
class Rows extends Sorted<Row> { a() { this.first.save() } } // <-
class Pages extends Sorted<Page> { a() { this.first.save() } }
class Mixed<U extends Row> extends List<Page, U> {
  a() {
    this.meta.save()
    this.first.save() // <-
  }
}
function f(rows: Rows, pages: Pages) {
  rows.get().save() // <-
  pages.get().save()
}
",
        )],
    );
}

#[test]
fn constructors_and_fallbacks_expect_what_they_are_given() {
    check(
        "Init.send",
        &[(
            "src/a.ts",
            "interface Init { send(data: string): void }
interface Mail { send: boolean }
class Socket { constructor(init: Init) {} }
class Post { constructor(mail: Mail) {} }
const a = new Socket({ send: (data) => {} }) // <-
const b = new Post({ send: true })
function c(init?: Init): Init {
  return init ?? {
    send() {}, // <-
  }
}
",
        )],
    );
}

#[test]
fn types_that_are_written_out_in_place_are_known_and_have_only_their_own_members() {
    check(
        "Codec.encode",
        &[(
            "src/a.ts",
            "interface Codec { encode(text: string): string }
interface Options { inner?: { codec: Codec; depth: number } | undefined; all: { codec: Codec }[] }
function a(params: { encode: number }) { return params.encode }
function b(codec: Codec) { return codec.encode('') } // <-
function c(options: Options) {
  options.inner.codec.encode('') // <-
  options.all[0].codec.encode('') // <-
}
function d(codec: Codec & { depth: number }) { return codec.encode('') } // <-
const e = { encode: 1 }
",
        )],
    );
}

#[test]
fn a_declared_variable_says_what_a_generic_call_makes() {
    check(
        "Row.save",
        &[(
            "src/a.ts",
            "interface Row { save(): void }
interface Page { save(): void }
interface Maker<T> { make(): T }
function maker<T>(name: string, init: (made: T) => void): Maker<T> { return null! }
export const rows: Maker<Row> = maker('row', (made) => {
  made.save() // <-
})
export const pages: Maker<Page> = maker('page', (made) => {
  made.save()
})
export const unknown = maker('none', (made) => {
  made.save()
})
",
        )],
    );
}

#[test]
fn taking_a_value_apart_reads_its_members() {
    check(
        "Req.url",
        &[(
            "src/a.ts",
            "class Req { url = ''; get method() { return '' } }
class Page { url = ''; req = new Req() }
function a(req: Req) {
  const { url, method } = req // <-
  const { url: here } = req // <-
  return url + here + method
}
function b({ url }: Req) { return url } // <-
function c(page: Page) {
  const { url } = page
  const { req: { url: inner } } = page // <-
  let url2 = { url: 1 }
  return url + inner
}
const list: Req[] = []
list.map(({ url }) => url) // <-
function d({ url }: { url: string }) { return url }
const { url } = new Page()
",
        )],
    );
}

#[test]
fn modules_that_import_from_the_barrel_they_are_part_of_are_followed() {
    let index =
        "export * from './align'\nexport * from './scene'\nexport * from './mutate'\nexport * from './zindex'\n";
    let part = "import { mutate } from './index' // <-\nexport const NAME = () => mutate() // <-\n";
    let (align, scene, zindex) =
        (part.replace("NAME", "align"), part.replace("NAME", "scene"), part.replace("NAME", "zindex"));
    let parts = [
        ("src/index.ts", index),
        ("src/align.ts", align.as_str()),
        ("src/scene.ts", &scene),
        ("src/mutate.ts", "import { scene } from './index'\nexport function mutate() { scene() }\n"),
        ("src/zindex.ts", &zindex),
        ("src/app.ts", "import { mutate } from '.' // <-\nmutate() // <-\n"),
        // What a module imports, it does not export.
        ("src/out.ts", "import { mutate } from './scene'\nmutate()\n"),
    ];
    check("src/mutate.ts mutate", &parts);
}

#[test]
fn other_modules_add_to_an_interface() {
    let files = |context: &'static str, locale: &'static str, other: &'static str| {
        [
            ("src/index.ts", "export type { Variables } from './context'\n"),
            ("src/context.ts", context),
            ("src/locale.ts", locale),
            ("src/other.ts", other),
        ]
    };
    check(
        "src/locale.ts Locale.language",
        &files(
            "export interface Variables {}\nexport function get(v: Variables) {\n  v.language // <-\n}\n",
            "interface Locale { language: string }\ndeclare module './index' {\n  interface Variables extends Locale {}\n}\n",
            "interface Variables { language: string }\nfunction f(v: Variables) { v.language }\n",
        ),
    );
    let own = files(
        "export interface Variables {}\nexport function get(v: Variables) {} // <-\n",
        "declare module './index' {\n  interface Variables { language: string }\n}\n",
        "interface Variables { language: string }\nfunction f(v: Variables) { v.language }\n",
    );
    let with_export = own.map(|(path, text)| match path {
        "src/index.ts" => (path, "export type { Variables } from './context' // <-\n"),
        _ => (path, text),
    });
    check("src/locale.ts Variables", &with_export);
    check("src/context.ts Variables", &with_export);
}

#[test]
fn a_default_that_is_handed_on_has_its_name_there() {
    check(
        "src/run.ts run",
        &[
            ("src/run.ts", "export default function run() {}\n"),
            ("src/walk.ts", "export default function walk() {}\n"),
            (
                "src/index.ts",
                "export { default as run } from './run' // <-\nexport { default as walk } from './walk'\n",
            ),
            ("src/a.ts", "import { run } from '.' // <-\nrun() // <-\n"),
        ],
    );
}

#[test]
fn what_a_callback_returns_is_expected_of_what_it_returns() {
    check(
        "Operation.kind",
        &[(
            "src/a.ts",
            "export interface Operation { kind: string }
interface Other { kind: string }
type Link = () => (options: { op: Operation; other: Other }) => void
const direct: Link = () => ({ op }) => { op.kind } // <-
function made(): Link {
  return () => {
    return ({ op, other }) => {
      op.kind // <-
      other.kind
    }
  }
}
function typed(options: { op: Operation; other: { kind: string } }) {
  options.op.kind // <-
  options.other.kind
  const cast = options as { other: Operation }
  cast.other.kind // <-
}
const unknown = () => ({ op }) => { op.nothing }
",
        )],
    );
}

#[test]
fn a_rest_parameter_says_what_stands_at_each_place() {
    check(
        "Context.json",
        &[(
            "src/a.ts",
            "export class Context { json(x: unknown) {} }
class Page { json() {} }
type Handler = (c: Context) => void
interface On { (path: string, ...handlers: [Handler, Handler]): void; (...handlers: Handler[]): void }
declare const on: On
on('/', (c) => c.json(1), (c) => c.json(2)) // <-
function run(first: (p: Page) => void, ...rest: Handler[]) {
  rest.length
}
run((p) => p.json(), (c) => c.json(3)) // <-
run((p) => p.json())
const all: (...handlers: Handler[]) => void = (...handlers) => {}
all((c) => 1, (c) => c.json(4)) // <-
",
        )],
    );
}

#[test]
fn a_short_key_fills_in_a_member_and_reads_a_variable() {
    let files = [(
        "src/a.ts",
        "interface Retry { attempts: number }
interface Other { attempts: number }
function retry(options: Retry) {}
function other(options: Other) {}
function a(attempts: number) {
  retry({ attempts }) // <-
  other({ attempts })
  const made: Retry = { attempts } // <-
  return { attempts }
}
",
    )];
    check("Retry.attempts", &files);
    let read = [(
        "src/a.ts",
        "export const limit = 1
interface Retry { limit: number }
function retry(options: Retry) {}
retry({ limit }) // <-
",
    )];
    check("src/a.ts limit", &read);
}

#[test]
fn a_variable_is_of_the_class_that_a_condition_tests_for() {
    check(
        "Lazy.schema",
        &[(
            "src/a.ts",
            "class Type { name = '' }
class Lazy extends Type { get schema() { return 1 } }
class Other extends Type { schema = 2 }
const shared: unknown = new Lazy()
function f(type: Type, list: Type[]) {
  if (type instanceof Lazy) {
    type.schema // <-
  } else if (type instanceof Other) {
    type.schema
  }
  const a = type instanceof Lazy ? type.schema : 0 // <-
  const b = type instanceof Lazy && type.schema // <-
  const c = type instanceof Other && (type.schema || list.length)
  if (list.length && type instanceof Lazy) return type.schema // <-
  list.map((one) => one instanceof Lazy && one.schema) // <-
}
",
        )],
    );
    check(
        "src/a.ts shared",
        &[(
            "src/a.ts",
            "export const shared: unknown = 1
class Lazy {}
if (shared instanceof Lazy) { // <-
  shared // <-
}
",
        )],
    );
}

#[test]
fn types_that_are_worked_out_from_others_are_known() {
    check(
        "Row.save",
        &[(
            "src/a.ts",
            "export interface Row { save(): void }
interface Page { save(): void; row: Row }
interface Options { row: Row; page: Page }
declare function load(): Promise<Row>
declare function find(): Row
type Loaded = Awaited<ReturnType<typeof load>>
function a(row: Options['row'], page: Options['page'], inner: Options['page']['row']) {
  row.save() // <-
  page.save()
  inner.save() // <-
}
function b(loaded: Loaded, found: ReturnType<typeof find>) {
  loaded.save() // <-
  found.save() // <-
}
class Made<T extends Options, R = T['row'], P = T['page']> { row!: R; page!: P }
function c(made: Made<Options>) {
  made.row.save() // <-
  made.page.save()
}
function d<T extends Options>(row: T['row'], page: T['page']) {
  row.save() // <-
  page.save()
}
type Parse = <T extends Row>(row: T, page: Page) => void
const parse: Parse = (row, page) => {
  row.save() // <-
  page.save()
}
",
        )],
    );
}

#[test]
fn what_a_function_makes_has_the_members_that_it_writes_out() {
    check(
        "src/a.ts make.start",
        &[
            (
                "src/a.ts",
                "export function make() {
  return {
    start() {},
    stop: () => {},
  }
}
export const other = () => ({ start() {} })
make().start() // <-
other().start()
",
            ),
            (
                "src/b.ts",
                "import { make, other } from './a'
const made = make()
made.start() // <-
made.stop()
const second = other()
second.start()
",
            ),
        ],
    );
}

#[test]
fn elements_of_the_platform_are_what_the_jsx_namespace_says() {
    let files = |types: &'static str, app: &'static str| [("src/types.ts", types), ("src/app.tsx", app)];
    let types = "export namespace JSX {
  interface InputAttributes { checked?: boolean }
  interface OptionAttributes { checked?: boolean }
  interface IntrinsicElements { input: InputAttributes; option: OptionAttributes }
}
interface Other { option: number }
";
    check(
        "JSX.IntrinsicElements.option",
        &files(
            types,
            "const a = <option checked>A</option> // <-\nconst b = <input checked />\nfunction f(o: Other) { o.option }\n",
        ),
    );
    check(
        "JSX.InputAttributes.checked",
        &files(types, "const a = <option checked>A</option>\nconst b = <input checked /> // <-\n"),
    );
}

#[test]
fn signatures_without_a_name_say_what_is_expected() {
    check(
        "Options.depth",
        &[(
            "src/a.ts",
            "export interface Options { depth: number }
interface Other { depth: number }
interface Kind { options: Options; other: Other }
type Maker<T extends Kind> = { new (options: T['options'], other: T['other']): T }
type Call = { (options: Options): void }
function make<T extends Kind>(Class: Maker<T>, call: Call) {
  call({ depth: 1 }) // <-
  return new Class(
    { depth: 2 }, // <-
    { depth: 3 },
  )
}
",
        )],
    );
}

#[test]
fn a_method_of_an_object_literal_takes_what_the_member_that_it_fills_in_takes() {
    check(
        "Socket.send",
        &[(
            "src/a.ts",
            "export class Socket { send(text: string) {} }
class Mail { send() {} }
interface Events { onMessage?: (event: string, socket: Socket) => void; onMail(mail: Mail): void }
function upgrade(create: (path: string) => Events) {}
upgrade((path) => ({
  onMessage(event, socket) {
    socket.send(event) // <-
  },
  onMail(mail) {
    mail.send()
  },
}))
const events: Events = {
  onMessage: (event, socket) => socket.send(event), // <-
  onMail(mail) { mail.send() },
}
class Other { onMessage(event, socket) { socket.close() } }
",
        )],
    );
}

#[test]
fn this_of_an_object_literal_is_what_its_place_expects_and_a_function_may_say_what_its_own_is() {
    check(
        "Schema.clone",
        &[(
            "src/a.ts",
            "interface Schema { clone(): Schema; check(x: number): Schema }
interface Other { clone(): Other }
type Methods<T> = Partial<{ [K in keyof T]: T[K] }>
function methods(): Methods<Schema> {
  return {
    check(x) { return [x].map(() => this.clone())[0] }, // <-
    clone() { return this }, // <-
  }
}
function on(this: Schema, other: Other) { other.clone(); return this.clone() } // <-
declare function install(run: (this: Schema, x: Other) => void): void
install(function (x) { x.clone() })
class Own implements Other { clone(): Own { return { check() { return this.clone() } } as never } }
",
        )],
    );
}

#[test]
fn a_member_is_of_the_class_that_a_test_says_until_it_is_set_anew() {
    check(
        "Failure.respond",
        &[(
            "src/a.ts",
            "class Failure extends Error { respond() {} }
class Other { respond() {} }
class Context { error?: Error; other = new Other() }
function one(c: Context) {
  if (c.error instanceof Failure) {
    c.error.respond() // <-
    c.other.respond()
  }
  return c.error instanceof Failure && c.error.respond() // <-
}
class Runner {
  error: unknown
  run() {
    if (this.error instanceof Failure) {
      this.error.respond() // <-
      this.error = new Other()
      this.error.respond()
    }
  }
}
",
        )],
    );
}

#[test]
fn a_module_that_a_function_imports_is_what_its_callers_are_given() {
    check(
        "src/node.ts Node.render",
        &[
            ("src/node.ts", "export class Node { render() {} }\nexport function make(): Node { return new Node() }\n"),
            ("src/decoy.ts", "export class Other { render() {} }\nexport function make() { return new Other() }\n"),
            (
                "src/a.ts",
                "const load = () => import('./node')
const decoy = () => import('./decoy')
async function f() {
  const { make } = await load()
  make().render() // <-
  const other = await decoy()
  other.make().render()
  ;(await import('./node')).make().render() // <-
}
",
            ),
        ],
    );
}

#[test]
fn all_forty_alternatives_of_a_union_count() {
    let one = |at: usize| format!("interface T{at} {{ kind: {at} }}\n");
    let all = |at: usize| format!(" | T{at}");
    let source = format!(
        "{}type All ={}\nfunction f(x: All) {{ return x.kind }} // <-\n",
        (0..40).map(one).collect::<String>(),
        (0..40).map(all).collect::<String>()
    );
    for at in [0, 20, 39] {
        check(&format!("T{at}.kind"), &[("src/a.ts", &source)]);
    }
}

#[test]
fn a_function_that_tests_its_argument_says_what_it_is() {
    let types = "\
export interface Started { stop(): void }
export interface Other { stop(): void }
export function isStarted(value: unknown): value is Started { return true }
export function hasOther(at: number, value: unknown): value is Other { return true }
export function isFine(value: unknown): boolean { return true }
";
    let main = "\
import { isStarted, hasOther, isFine, Other } from './types'
export function end(a: unknown, b: any, c: Other) {
  if (isStarted(a)) a.stop() // <-
  if (b && isStarted(b) && b) {
    b.stop() // <-
  }
  isStarted(b) ? b.stop() : 0 // <-
  if (isFine(c)) c.stop()
  if (hasOther(c, c)) c.stop()
  a.stop()
}
";
    check("types.ts Started.stop", &[("types.ts", types), ("main.ts", main)]);
}

#[test]
fn parts_of_tuples_and_entries_of_maps_are_told_apart() {
    let main = "\
class Row { close() {} }
class Cell { close() {} }
function pair(): [Cell, Row] { return [new Cell(), new Row()] }
export function run(rows: Map<Cell, Row>, list: Row[], cells: Set<Cell>) {
  const [cell, row] = pair()
  cell.close()
  row.close() // <-
  const [, second] = pair()
  second.close() // <-
  for (const [key, value] of rows) {
    key.close()
    value.close() // <-
  }
  for (const [key, value] of rows.entries()) {
    key.close()
    value.close() // <-
  }
  for (const key of rows.keys()) key.close()
  for (const value of rows.values()) value.close() // <-
  for (const [at, one] of list.entries()) one.close() // <-
  const [first] = list
  first.close() // <-
  list.sort((a, b) => (a.close(), b.close())) // <-
  list.reduce((sum, one) => one.close(), 0) // <-
  list.reduce((sum, one) => sum.close(), 0)
  ;[...list][0].close() // <-
  ;[...cells][0].close()
}
";
    check("main.ts Row.close", &[("main.ts", main)]);
}

#[test]
fn a_cast_before_an_object_says_what_its_keys_fill_in() {
    let main = "\
interface Env { setup(): void; inner: [string, Env] }
export default <Env>{
  setup() {}, // <-
  inner: ['x', { setup() {} }], // <-
}
export const other = { setup() {} }
";
    check("main.ts Env.setup", &[("main.ts", main)]);
}

#[test]
fn a_key_of_something_unknown_is_nobodys() {
    let main = "\
class Printer { insertText() {} }
export function run(list, printer: Printer) {
  list.push({ insertText: false })
  const { insertText } = list
  list.forEach(({ insertText }) => insertText)
  printer.insertText() // <-
  list[0].insertText() // <?
}
";
    check("main.ts Printer.insertText", &[("main.ts", main)]);
}

#[test]
fn what_is_tested_for_a_primitive_is_no_longer_what_it_was_declared() {
    let main = "\
class Node { toText() {} }
type Child = Node | string | number
export function show(child: Child, other: Node) {
  if (typeof child === 'string') return child.toText()
  if (typeof child === 'string' || typeof child === 'number') {
    return child.toText()
  }
  if (typeof child === 'string' || typeof other === 'number') child.toText() // <-
  if (typeof child === 'object') child.toText() // <-
  return typeof child === 'number' ? child.toText() : child.toText() // <-
}
";
    check("main.ts Node.toText", &[("main.ts", main)]);
}
