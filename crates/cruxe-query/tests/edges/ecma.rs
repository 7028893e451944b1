//! TypeScript and JavaScript.

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
fn types_and_values_of_one_name_are_told_apart() {
    check(
        "src/a.ts Shape",
        &[(
            "src/a.ts",
            "export interface Shape { area: number }
export const Shape = { make(): Shape { return { area: 1 } } } // <-
const a: Shape = Shape.make() // <-
",
        )],
    );
}
