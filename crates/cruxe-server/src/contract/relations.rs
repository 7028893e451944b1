//! What can be asked about a symbol's uses, and relations between symbols, in the words of clients.

use cruxe_model::SymbolKind;
use cruxe_query::references::EdgeType;
use cruxe_query::relations::{Note, Relation, Unfit};
use schemars::JsonSchema;
use serde::Deserialize;

/// Which uses of a symbol, or what is related to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum UseKind {
    /// Named in an import or re-export.
    Imports,
    /// Called.
    Calls,
    /// Implemented as a trait or interface.
    Implements,
    /// Extended as a super class or trait.
    Extends,
    /// Anything else: a type, a value, a write, a decorator.
    References,
    /// Types below it.
    Subtypes,
    /// Types above it.
    Supertypes,
    /// Members of types below that take its place.
    Overrides,
    /// Members of types above whose place it takes.
    Overridden,
    /// What carries it as a decorator, attribute or annotation.
    Decorates,
    /// Where values of it are made.
    Constructs,
    /// Where it is read.
    Reads,
    /// Where it is set.
    Writes,
}

/// What a kind asks for.
enum Asks {
    Edge(EdgeType),
    Relation(Relation),
}

impl UseKind {
    /// Every kind, the contract's edge types first.
    pub const ALL: [UseKind; 13] = [
        UseKind::Imports,
        UseKind::Calls,
        UseKind::Implements,
        UseKind::Extends,
        UseKind::References,
        UseKind::Subtypes,
        UseKind::Supertypes,
        UseKind::Overrides,
        UseKind::Overridden,
        UseKind::Decorates,
        UseKind::Constructs,
        UseKind::Reads,
        UseKind::Writes,
    ];

    /// The word that asks for it.
    pub fn word(self) -> &'static str {
        self.parts().0
    }

    /// The only edge type that is wanted, if one is.
    pub fn edge(self) -> Option<EdgeType> {
        if let Asks::Edge(edge) = self.parts().1 { Some(edge) } else { None }
    }

    /// The relation that is wanted, if one is.
    pub fn relation(self) -> Option<Relation> {
        if let Asks::Relation(relation) = self.parts().1 { Some(relation) } else { None }
    }

    fn parts(self) -> (&'static str, Asks) {
        match self {
            UseKind::Imports => ("imports", Asks::Edge(EdgeType::Imports)),
            UseKind::Calls => ("calls", Asks::Edge(EdgeType::Calls)),
            UseKind::Implements => ("implements", Asks::Edge(EdgeType::Implements)),
            UseKind::Extends => ("extends", Asks::Edge(EdgeType::Extends)),
            UseKind::References => ("references", Asks::Edge(EdgeType::References)),
            UseKind::Subtypes => ("subtypes", Asks::Relation(Relation::Subtypes)),
            UseKind::Supertypes => ("supertypes", Asks::Relation(Relation::Supertypes)),
            UseKind::Overrides => ("overrides", Asks::Relation(Relation::Overrides)),
            UseKind::Overridden => ("overridden", Asks::Relation(Relation::Overridden)),
            UseKind::Decorates => ("decorates", Asks::Relation(Relation::Decorates)),
            UseKind::Constructs => ("constructs", Asks::Relation(Relation::Constructs)),
            UseKind::Reads => ("reads", Asks::Relation(Relation::Reads)),
            UseKind::Writes => ("writes", Asks::Relation(Relation::Writes)),
        }
    }
}

/// The word that asks for a relation.
pub(super) fn word(relation: Relation) -> &'static str {
    UseKind::ALL.iter().find(|kind| kind.relation() == Some(relation)).map_or("", |kind| kind.word())
}

/// What the rows of a relation are called.
pub(crate) fn noun(relation: Relation) -> &'static str {
    match relation {
        Relation::Overridden => "overridden",
        Relation::Decorates => "decorated",
        Relation::Constructs => "constructions",
        relation => word(relation),
    }
}

/// What to know about how relations were found.
pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::Beyond(names) => format!(
            "the ref does not define {}: what is above, and what they declare, is not known",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
        Note::FitsAll => "the interface has no methods, so every type fits it; none is listed for that".to_owned(),
        Note::DeclaredOnly => "only types that name it are looked for, not those that merely have its shape".to_owned(),
    }
}

/// Why a symbol does not have a relation, and what to ask instead.
pub(super) fn refusal(
    relation: Relation,
    name: &str,
    kind: SymbolKind,
    language: &str,
    why: Unfit,
) -> (String, &'static str) {
    let word = word(relation);
    let what = match relation {
        Relation::Subtypes | Relation::Supertypes => "types that build on types",
        Relation::Overrides | Relation::Overridden => "members that take the place of others",
        Relation::Decorates => "decorators",
        Relation::Constructs => "places where values of a type are made",
        Relation::Reads | Relation::Writes => "uses that set something",
    };
    let message = match why {
        Unfit::Never => format!("`{word}` says nothing about {language}: the language has no {what}."),
        Unfit::Untold => format!("`{word}` is not known in {language}: its code does not tell {what}."),
        Unfit::Kind => format!("`{word}` does not fit `{name}` of {language}: it is a {}.", kind.as_str()),
        Unfit::NoMember => format!("`{word}` does not fit `{name}` of {language}: it belongs to no type."),
        Unfit::Constructor => {
            format!("`{word}` does not fit `{name}`: constructors are not inherited in {language}.")
        }
    };
    let advice = match (relation, why) {
        (_, Unfit::Never | Unfit::Untold) => "Ask without `kind` for every use.",
        (Relation::Subtypes | Relation::Supertypes, _) => "Name a type, or ask for `overrides` of a member.",
        (Relation::Overrides | Relation::Overridden, Unfit::Constructor) => "Ask for `constructs` of the class.",
        (Relation::Overrides | Relation::Overridden, _) => "Name a member (`Type.member`), or ask for `subtypes`.",
        (Relation::Constructs, _) => "Name a class, a structure or a case that holds values.",
        (Relation::Reads | Relation::Writes, _) => "Name a field, constant or variable.",
        (Relation::Decorates, _) => "Name a decorator, attribute or annotation.",
    };
    (message, advice)
}
