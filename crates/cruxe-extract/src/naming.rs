//! What the names of a language mean, as far as data can say it. What takes an algorithm (imports, paths, packages) is
//! part of the resolver and chosen by [`Naming::system`].

use cruxe_model::SymbolKind;

/// How names are introduced, seen and reached. Broad languages take all of it from [`NAMING`].
pub struct Naming {
    /// How modules find each other.
    pub system: System,
    /// The name that an import introduces, from the path of what it imports; empty for none.
    pub imported: fn(&str) -> &str,
    /// The files that an import may mean, relative to some folder; none where imports do not name files.
    pub files: fn(&str) -> Vec<String>,
    /// Such a file may be below any folder: a build file that nobody reads says below which.
    pub files_anywhere: bool,
    /// The first names of paths that lead out of every project, where a language has no manifest that tells: any other
    /// may be one of the project's own. Empty where the beginning of a path says whose it is.
    pub foreign: &'static [&'static str],
    /// What an import gives is a value like any other: `require("x").f()`, `@import("x.zig").f`.
    pub files_are_values: bool,
    /// An import runs a file, and brings no name into this one: what the file defines is seen everywhere.
    pub requires: bool,
    /// What a method works on is its first parameter, written like any other.
    pub explicit_self: bool,
    /// The type of types: what returns it is a type with parameters, whose members stand inside of it.
    pub meta: Option<&'static str>,
    /// What a file hands on (`export … from`) is no name inside the file itself.
    pub exports_apart: bool,
    /// A module inside a file does not see the names around it.
    pub closed_modules: bool,

    /// From where on a local is seen.
    pub locals: Locals,
    /// A local may stand where a type is expected: `typeof x`, types that are values.
    pub local_types: bool,
    /// Which members are seen by their plain name inside their type.
    pub members: Members,
    /// Members that are names of what is around their type: the cases of a C enum, the fields of a Haskell record.
    pub free_members: &'static [SymbolKind],
    /// A variable may be an object with members.
    pub objects: bool,
    /// Methods stand outside their type (`func (t T) m()`, `t.m = function () {}`) and are no names of their file.
    pub free_methods: bool,
    /// The same, and inside such a method the members of its type are seen by their plain names: `void Foo::bar()`.
    pub methods_see_members: bool,
    /// Variables are tables that assignments fill: what `M.f = …` defines is reached through `M`, and a file is what its tables hold.
    pub tables: bool,
    /// The qualified name of a member that stands outside its type shows the type: `void Foo::bar()`.
    pub shown_owners: bool,
    /// Where the members of a type stand.
    pub home: Home,
    /// Definitions of one name that are one thing.
    pub merging: Merging,
    /// The words before an object inside a class whose members are reached by the class's name: `companion object`.
    pub companion: Option<&'static str>,
    /// The function that is passed to a call may work on a value of its own, whose members it sees by their plain names.
    pub receivers: bool,
    /// Modules are mixed into classes and reopened like them; a method of one may call what only those classes have.
    pub mixins: bool,
    /// A method without parameters is called without parentheses.
    pub bare_calls: bool,
    /// Words before a definition that make it one of several parts of a symbol, each in a file of its own: `partial`.
    pub parts: &'static [&'static str],

    /// The word for the type around it, where a type is expected: `Self`.
    pub own_type: Option<&'static str>,
    /// That word means the same where a value is expected, and is never looked up.
    pub own_type_everywhere: bool,
    /// That word may mean a sub-type: classes are extended.
    pub open_types: bool,
    /// What a type implements may stand apart from it: `impl Trait for Type`, an extension.
    pub impls: bool,
    /// `type A B` makes a new type; only `type A = B` gives a second name to one.
    pub new_types: bool,
    /// A value of a type parameter has the members of its bounds and no others.
    pub strict_bounds: bool,
    /// A type may say what its values point to, and then they have the members of that.
    pub dereferences: bool,
    /// A value may have members that no declaration of its type names: it is a module, or somebody adds to it.
    pub open_values: bool,
    /// Every type may have methods of the standard library, derived or implemented for all.
    pub blanket_methods: bool,
    /// Functions without a receiver are reached by their type's path only.
    pub associated_by_path: bool,
    /// Variants hold values: they are called like functions, and have what their enum has.
    pub variants_hold: bool,
    /// A field may hold a function that is called.
    pub called_fields: bool,
    /// A variable may hold a function, made by code that does not run with it: `const f = memo(() => …)`.
    pub function_values: bool,
    /// A decorator is called; an attribute or annotation is not.
    pub decorators_run: bool,
    /// A sub-class without a constructor has that of its super class.
    pub constructors_inherited: bool,
    /// A method and a variable of one name are two things, and a call means the method.
    pub methods_apart: bool,
    /// What a type builds on is not looked up among its own members.
    pub heads_outside: bool,
    /// A name with a capital that nothing has is a type from outside.
    pub capital_types: bool,
    /// Functions of one name are told apart by what they take.
    pub overloads: bool,
    /// A value may be taken for one of another type: by a constructor, by a conversion that somebody defined.
    pub converts: bool,
    /// The same for numbers, truth values and texts.
    pub literals_convert: bool,
    /// A type that is named in another without a name of its own is a part of it: `struct { T }`.
    pub embeds: bool,
    /// Assigning to an attribute defines it.
    pub assignments_define: bool,
    /// A variable of a type may be an array of it: `T x[2]`, `T *x`.
    pub indexes_itself: bool,
    /// Operators are listed among what a function calls. Elsewhere they are calls for whoever asks about the method behind them:
    /// nobody counts `a + b` as a call of `__add__` where he reads it.
    pub lists_operators: bool,
    /// The signs of operators and the functions behind them, where those have other names: `+` and `plus`.
    pub operators: &'static [(&'static str, &'static str)],
    /// The function of an operator may take both of what it works on, and belong to neither: `operator+(V a, V b)`.
    pub free_operators: bool,
    /// A macro may open a namespace, which nobody sees then: `LIB_BEGIN_NAMESPACE`.
    pub spaces_by_macro: bool,
    /// Which relations between symbols there are.
    pub relations: Relations,

    /// Types whose values are of one of their arguments: `Union[A, B]`, `A | B`.
    pub unions: &'static [&'static str],
    /// Types that say nothing about their values: `any`, `_`, `Object`.
    pub anything: &'static [&'static str],
    /// Types of types: `type[A]`.
    pub meta_types: &'static [&'static str],
    /// Types whose values have the members of their first argument: `Partial<A>`.
    pub transparent: &'static [&'static str],
    /// The labels of arguments are part of what a function is called.
    pub labels: bool,
    /// Types and macros are seen where their file is included as text, and a file that is compiled by itself is included by nobody.
    pub includes: bool,
    /// `use X` defines in the module what the macros of `X` hold: functions inside of functions.
    pub injects: bool,
    /// What a promise of something has itself: `import('x').then(…)`.
    pub promised: &'static [&'static str],
    /// Foreign types, with blanks between them, whose values have the members of what they hold: smart pointers, guards.
    pub pointers: &'static str,
    /// What such types have themselves, with blanks between, all of them or one: `p.reset()` is none of what `p` points to.
    pub pointer_members: &'static [(Option<&'static str>, &'static str)],
    /// The member of a type that gives what its values point to, whose members they have: `operator->`.
    pub arrow: Option<&'static str>,
    /// The member of a class that has what its values have: `C.prototype`.
    pub prototype: Option<&'static str>,
    /// The member of a value that is its class: `x.__class__`.
    pub class_of: Option<&'static str>,
    /// Types that are in sight everywhere and make a value where they are called: `set(xs)`.
    pub builtin_types: &'static [&'static str],
    /// A named argument carries the function with it that is called: `Point(x=1)`.
    pub named_arguments: bool,
    /// The method that makes a value, where it has a name of its own.
    pub constructor: Option<&'static str>,
    /// Words that stand for the class around them where a value of it is made: `Self { … }`, `cls()`.
    pub own_class: &'static [&'static str],
    /// Methods of a type that make a value of it: `T.new`.
    pub makers: &'static [&'static str],
    /// The ending that an attribute's class has and its uses may leave out: `[Fact]` is a `FactAttribute`.
    pub attribute_ending: &'static str,
    /// The method that runs when a value is called.
    pub call: Option<&'static str>,
    /// Whether a function of a name and signature runs where nobody names it: operators, and what the language calls itself.
    pub runs_unnamed: fn(&str, &str) -> bool,
    /// The methods that work out members which no declaration names.
    pub member_hooks: &'static [&'static str],
    /// The methods whose result a block works with: `with value as x`.
    pub enter: &'static [&'static str],
    /// Members that say what iterating over a value or indexing it gives, the surest first.
    pub elements: &'static [&'static str],
    /// Members of everyday types of the standard library, with blanks between them: with nothing known about the
    /// receiver, one of these says nothing about who is meant.
    pub everyday: &'static str,
}

/// What the broad languages have in common, for `..NAMING`.
pub const NAMING: Naming = Naming {
    system: System::Broad,
    imported: |path| path.rsplit(['.', '/', '\\', ':']).next().unwrap_or_default(),
    files: |_| Vec::new(),
    files_anywhere: false,
    foreign: &[],
    files_are_values: false,
    requires: false,
    explicit_self: false,
    meta: None,
    exports_apart: false,
    closed_modules: false,
    locals: Locals::Declared,
    local_types: false,
    members: Members::Plain,
    free_members: &[],
    objects: false,
    free_methods: false,
    methods_see_members: false,
    tables: false,
    shown_owners: true,
    home: Home::Anywhere,
    merging: Merging::AcrossFiles,
    companion: None,
    receivers: false,
    mixins: false,
    bare_calls: false,
    parts: &[],
    own_type: Some("Self"),
    own_type_everywhere: false,
    open_types: true,
    impls: true,
    new_types: false,
    strict_bounds: false,
    dereferences: false,
    open_values: true,
    blanket_methods: false,
    associated_by_path: false,
    variants_hold: false,
    called_fields: false,
    function_values: false,
    decorators_run: false,
    constructors_inherited: false,
    methods_apart: false,
    heads_outside: false,
    capital_types: false,
    overloads: false,
    converts: true,
    literals_convert: false,
    embeds: false,
    assignments_define: false,
    indexes_itself: false,
    lists_operators: false,
    operators: &[],
    free_operators: false,
    spaces_by_macro: false,
    relations: ALL_RELATIONS,
    unions: &[],
    anything: &["Any", "AnyObject", "AnyRef", "Object", "anytype", "auto", "dynamic", "mixed", "object", "var", "void"],
    meta_types: &[],
    transparent: &[],
    labels: false,
    includes: false,
    injects: false,
    promised: &[],
    pointers: "",
    pointer_members: &[],
    arrow: None,
    prototype: None,
    class_of: None,
    builtin_types: &[],
    named_arguments: false,
    constructor: None,
    own_class: &[],
    makers: &[],
    attribute_ending: "",
    call: None,
    runs_unnamed: |_, _| false,
    member_hooks: &[],
    enter: &[],
    elements: &["next", "Item", "Output"],
    everyday: "get set add remove put size length isEmpty contains clear toString equals hashCode name value \
        values keys next hasNext iterator stream map filter forEach collect append insert delete push \
        pop close open read write flush run start stop join split trim format begin end front back empty \
        count find first last find_by where each select type id data Add Remove Contains Count ToString \
        Equals Length Key Value Clear",
};

/// Which relations between symbols a language has, and whether its code tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relations {
    /// Types that build on types, and members that take the place of others.
    pub heritage: Told,
    /// Decorators, attributes or annotations that a code base defines.
    pub decorators: Told,
    /// Places where values of a type are made.
    pub constructions: Told,
    /// Uses that set something, told from uses that read it.
    pub writes: Told,
}

/// What most languages have.
pub const ALL_RELATIONS: Relations =
    Relations { heritage: Told::Yes, decorators: Told::Yes, constructions: Told::Yes, writes: Told::Yes };

/// Whether the code of a language tells something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It does.
    Yes,
    /// The language has it, and its code does not tell.
    No,
    /// The language has nothing like it.
    Never,
}

/// How modules find each other: which rules of the resolver hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// By what files import, by packages and namespaces, and by names that are the only ones of their kind.
    Broad,
    /// By the paths of files, of configured aliases and of packages.
    Ecma,
    /// By folders.
    Go,
    /// By packages, and by what lies beside a script.
    Python,
    /// By the tree that `mod` spans, and by crates.
    Rust,
}

/// From where on a local is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locals {
    /// In its whole scope.
    Everywhere,
    /// From its declaration on.
    Declared,
    /// The same, and a declaration may hide another of the scope: the value of `let x = x.next()` is about the `x` before.
    Redeclared,
}

/// Which members are seen by their plain name inside their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All.
    Plain,
    /// None.
    Qualified,
    /// Those of the body of a class, which runs line by line, in that body and nowhere below it.
    ClassBody,
}

/// Where the members of a type stand. Who knows it need not look at every definition of a common name in the whole code base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In any file.
    Anywhere,
    /// In the folder of the type; no other type gets any there.
    Folder,
    /// In the file of the type; no other type gets any there.
    File,
}

/// Definitions of one name that are one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// None.
    Never,
    /// Those of a file: an interface with another, a type with a value.
    InFile,
    /// Those of any two files: a class with its header.
    AcrossFiles,
}
