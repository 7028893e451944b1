//! Tells clients when the list of resources or a resource that they follow has changed.
//!
//! Every publish of the index, or of any of many, is a reason to look: at the list by its names, at what is followed by its content. A publish
//! that changed neither is not told, so that a client that reads again on every notification does so for a reason.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use cruxe_deck::card::CARDS;
use cruxe_query::outline;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;

use crate::admission::{Admission, Cost};
use crate::cards;
use crate::catalog::{Catalog, Place};
use crate::prompts::portrait;
use crate::resources::SYMBOL_TOKENS;
use crate::scope::Refs;
use crate::session::Session;
use crate::uri::{Kind, ResourceUri};

/// Resources that one client follows at most: each is read at every publish.
pub(crate) const MAX_FOLLOWED: usize = 500;

/// Resources by address, each as it was last seen.
pub(crate) type Followed = BTreeMap<String, Sight>;

/// A resource as it was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// A figure that changes with its text; none for one that cannot be read.
    figure: Option<u64>,
    /// What it depended on, where it need not be looked at again as long as that is the same.
    since: Option<Since>,
}

/// What is published of a repository of many, and what of it may be seen. A server of many hears of a push to any of them.
type Since = (i64, Refs);

/// What changed since it was last told.
struct Changes {
    list: bool,
    /// Whether there is a deck now.
    deck: bool,
    resources: Vec<String>,
}

impl Catalog {
    /// Begins to follow a resource.
    pub(crate) fn follow(&self, session: &Session, uri: &str) -> Result<(), ErrorData> {
        self.address(uri)?;
        let sight = self.look_at(session, uri, &Sight::default());
        let mut followed = session.followed();
        if followed.len() >= MAX_FOLLOWED && !followed.contains_key(uri) {
            let problem = format!("{MAX_FOLLOWED} resources are followed already. Unsubscribe from one first.");
            return Err(ErrorData::invalid_params(problem, None));
        }
        followed.insert(uri.to_owned(), sight);
        Ok(())
    }

    /// A resource as it is now, given how it was last seen.
    fn look_at(&self, session: &Session, uri: &str, known: &Sight) -> Sight {
        let Ok(address) = self.address(uri) else { return Sight::default() };
        let since = self.since(session, &address);
        if since.is_some() && since == known.since {
            return known.clone();
        }
        let Ok(place) = self.place(session, address.repo.as_deref()) else { return Sight::default() };
        let figure = self.state(session, &place, &address);
        // What is here may be older than what is published: it is on its way.
        Sight { figure, since: since.filter(|_| !place.workspace.is_behind()) }
    }

    fn since(&self, session: &Session, address: &ResourceUri) -> Option<Since> {
        let shelf = self.shelf()?;
        let root = shelf.root(address.repo.as_deref()?);
        let refs = session.scope().refs(&root)?;
        Some((shelf.published(&root)?, refs))
    }

    /// A figure that changes with what is published of a resource. An edit on disk does not count before it is indexed:
    /// a look between the two would take it for what had always been there, and nobody would be told.
    fn state(&self, session: &Session, place: &Place, address: &ResourceUri) -> Option<u64> {
        let view = place.as_published(address.ref_name.as_deref()).ok()?;
        let published = |path: &str| outline::file(&view, path).ok().map(|(_, file)| file.hash.to_hex());
        let state = match address.kind {
            Kind::Symbol => portrait::of_symbol(&view, &address.name, None, SYMBOL_TOKENS).ok()?,
            Kind::Repo => {
                let name = address.repo.as_deref().unwrap_or_default();
                portrait::of_repository(&place.workspace, &view, &session.scope(), name).ok()?
            }
            Kind::Doc | Kind::File => published(&address.name)?,
            Kind::Card => {
                // A deck that is not under version control may not be indexed either.
                let path = format!("{CARDS}/{}.md", address.name);
                published(&path).or_else(|| cards::read(self.deck(session), &address.name).ok().flatten())?
            }
        };
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        Some(hasher.finish())
    }

    /// Looks at everything once more and notes what it saw.
    fn changes_since(&self, session: &Session, list: &mut Option<u64>, followed: &mut Followed) -> Changes {
        let now = self.fingerprint(session);
        let list_changed = now.is_some() && now != *list;
        let mut changes = Changes { list: list_changed, deck: self.deck(session).exists(), resources: Vec::new() };
        *list = now.or(*list);
        for (uri, known) in followed {
            let now = self.look_at(session, uri, known);
            if now.figure != known.figure {
                changes.resources.push(uri.clone());
            }
            *known = now;
        }
        changes
    }
}

/// Somebody who looks on behalf of a client.
pub(crate) struct Subscriber {
    /// Where resources are.
    pub catalog: Arc<Catalog>,
    /// The client.
    pub session: Arc<Session>,
    /// A look is a question like others and takes one of their slots: a publish makes every client's subscriber look at once.
    pub admission: Arc<Admission>,
    /// Whether the list of tools depends on there being a deck.
    pub follows_deck: bool,
}

impl Subscriber {
    /// Looks on a thread of its own; `None` when the server ends.
    async fn look<T: Send + 'static>(&self, look: impl FnOnce(&Catalog, &Session) -> T + Send + 'static) -> Option<T> {
        let slot = self.admission.admit(&self.session, Cost::Any).await?;
        let (catalog, session) = (Arc::clone(&self.catalog), Arc::clone(&self.session));
        let work = move || {
            let _slot = slot;
            catalog.renew_scope(&session);
            look(&catalog, &session)
        };
        tokio::task::spawn_blocking(work).await.ok()
    }
}

/// Tells a client of sessions (up to protocol 2025-11-25) what changes, until its connection, which holds the other end
/// of `open`, is gone.
pub(crate) async fn notify_session(subscriber: Subscriber, peer: Peer<RoleServer>, mut open: watch::Receiver<()>) {
    let mut changes = subscriber.catalog.changes();
    let mut deck = subscriber.catalog.deck(&subscriber.session).exists();
    let mut list = None;
    let mut first = true;
    loop {
        if std::mem::take(&mut first) {
            // To read the list of a large code base takes a processor from the first question.
            subscriber.catalog.pause().await;
        } else {
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                _ = open.changed() => return,
            }
        }
        let known = list;
        let look = move |catalog: &Catalog, session: &Session| {
            let mut list = known;
            // What is followed is looked at without its lock, which a client that subscribes would wait for.
            let mut followed = session.followed().clone();
            let news = catalog.changes_since(session, &mut list, &mut followed);
            let mut current = session.followed();
            for (uri, sight) in followed {
                if let Some(known) = current.get_mut(&uri) {
                    *known = sight;
                }
            }
            drop(current);
            (list, news)
        };
        let Some((now, news)) = subscriber.look(look).await else { return };
        let told_list = list.is_some() && news.list;
        let began = list.is_none();
        list = now;
        if began && changes.has_changed().unwrap_or(false) {
            // What was published during the first look may or may not be in it: the next look reports it.
            list = list.map(|figure| !figure);
        }
        if told_list && peer.notify_resource_list_changed().await.is_err() {
            return;
        }
        let had_deck = std::mem::replace(&mut deck, news.deck);
        if subscriber.follows_deck && had_deck != deck && peer.notify_tool_list_changed().await.is_err() {
            return;
        }
        for uri in news.resources {
            if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
    }
}

/// Tells a client that listens (from protocol 2026-07-28 on) what changes, until it stops to.
pub(crate) async fn notify_listener(subscriber: Subscriber, context: &SubscriptionContext) {
    let mut changes = subscriber.catalog.changes();
    let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let wants_list = context.accepted().resources_list_changed == Some(true);
    let wants_tools = context.accepted().tools_list_changed == Some(true);
    let mut deck = subscriber.catalog.deck(&subscriber.session).exists();
    let mut known = (None, uris.into_iter().map(|uri| (uri, Sight::default())).collect::<Followed>());
    let mut first = true;
    loop {
        let look = move |catalog: &Catalog, session: &Session| {
            let (mut list, mut followed) = known;
            let news = catalog.changes_since(session, &mut list, &mut followed);
            ((list, followed), news)
        };
        let Some((now, news)) = subscriber.look(look).await else { return };
        known = now;
        // The first look is what later ones are compared with. What was published meanwhile may or may not be in it, so
        // the next look reports everything.
        if std::mem::take(&mut first) {
            if changes.has_changed().unwrap_or(false) {
                known.0 = known.0.map(|figure| !figure);
                let unlike =
                    |sight: &mut Sight| *sight = Sight { figure: sight.figure.map(|figure| !figure), since: None };
                known.1.values_mut().for_each(unlike);
            }
        } else {
            let mut sent = Ok(());
            if news.list && wants_list {
                sent = context.sink().notify_resource_list_changed().await;
            }
            if std::mem::replace(&mut deck, news.deck) != news.deck && wants_tools {
                sent = sent.and(context.sink().notify_tool_list_changed().await);
            }
            for uri in news.resources {
                sent = sent.and(context.sink().notify_resource_updated(uri).await);
            }
            if sent.is_err() {
                return;
            }
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = context.cancelled() => return,
        }
    }
}
