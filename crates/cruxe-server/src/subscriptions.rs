//! Tells clients when the list of resources or a resource that they follow has changed.
//!
//! Every publish of the index is a reason to look: at the list by its names, at what is followed by its content. A publish
//! that changed neither is not told, so that a client that reads again on every notification does so for a reason.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use cruxe_deck::card::CARDS;
use cruxe_query::outline;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;

use crate::cards;
use crate::catalog::Catalog;
use crate::prompts::portrait;
use crate::resources::SYMBOL_TOKENS;
use crate::session::Session;
use crate::uri::Kind;

/// Resources that one client follows at most: each is read at every publish.
const MAX_FOLLOWED: usize = 500;
/// How often a connection without news is checked for its end.
const CHECK: Duration = Duration::from_secs(30);

/// Resources by address, each with a figure that changes with its text; none for one that cannot be read.
pub(crate) type Followed = BTreeMap<String, Option<u64>>;

/// What changed since it was last told.
struct News {
    list: bool,
    resources: Vec<String>,
}

impl Catalog {
    /// Begins to follow a resource.
    pub(crate) fn follow(&self, session: &Session, uri: &str) -> Result<(), ErrorData> {
        self.address(uri)?;
        let state = self.state(session, uri);
        let mut followed = session.followed();
        if followed.len() >= MAX_FOLLOWED && !followed.contains_key(uri) {
            let problem = format!("{MAX_FOLLOWED} resources are followed already. Unsubscribe from one first.");
            return Err(ErrorData::invalid_params(problem, None));
        }
        followed.insert(uri.to_owned(), state);
        Ok(())
    }

    /// A figure that changes with what is published of a resource. An edit on disk does not count before it is indexed:
    /// a look between the two would take it for what had always been there, and nobody would be told.
    fn state(&self, session: &Session, uri: &str) -> Option<u64> {
        let address = self.address(uri).ok()?;
        let view = self.as_published(session, address.ref_name.as_deref()).ok()?;
        let published = |path: &str| outline::file(&view, path).ok().map(|(_, file)| file.hash.to_hex());
        let state = match address.kind {
            Kind::Symbol => portrait::of_symbol(&self.workspace, &view, &address.name, None, SYMBOL_TOKENS).ok()?,
            Kind::Doc | Kind::File => published(&address.name)?,
            Kind::Card => {
                // A deck that is not under version control may not be indexed either.
                let path = format!("{CARDS}/{}.md", address.name);
                published(&path).or_else(|| cards::read(self.deck(), &address.name).ok().flatten())?
            }
        };
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        Some(hasher.finish())
    }

    /// Looks at everything once more and notes what it saw.
    fn news(&self, session: &Session, list: &mut Option<u64>, followed: &mut Followed) -> News {
        let now = self.fingerprint(session);
        let mut news = News { list: now.is_some() && now != *list, resources: Vec::new() };
        *list = now.or(*list);
        for (uri, known) in followed {
            let now = self.state(session, uri);
            if now != *known {
                *known = now;
                news.resources.push(uri.clone());
            }
        }
        news
    }
}

/// Waits for the next publish; `false` when there will be none that anybody could be told.
async fn next(changes: &mut watch::Receiver<u64>, ended: impl Fn() -> bool) -> bool {
    loop {
        tokio::select! {
            changed = changes.changed() => return changed.is_ok(),
            () = tokio::time::sleep(CHECK) => if ended() { return false },
        }
    }
}

/// Tells a client of sessions (up to protocol 2025-11-25) what changes, until it is gone.
pub(crate) async fn tell_session(catalog: Arc<Catalog>, session: Arc<Session>, peer: Peer<RoleServer>) {
    let mut changes = catalog.changes();
    let mut list = None;
    let mut first = true;
    while std::mem::take(&mut first) || next(&mut changes, || peer.is_transport_closed()).await {
        let (asked, follower, known) = (Arc::clone(&catalog), Arc::clone(&session), list);
        let looked = tokio::task::spawn_blocking(move || {
            let mut list = known;
            // What is followed is looked at without its lock, which a client that subscribes would wait for.
            let mut followed = follower.followed().clone();
            let news = asked.news(&follower, &mut list, &mut followed);
            let mut current = follower.followed();
            for (uri, state) in followed {
                if let Some(known) = current.get_mut(&uri) {
                    *known = state;
                }
            }
            drop(current);
            (list, news)
        });
        let Ok((now, news)) = looked.await else { return };
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
        for uri in news.resources {
            if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
    }
}

/// Tells a client that listens (from protocol 2026-07-28 on) what changes, until it stops to.
pub(crate) async fn tell_listener(catalog: Arc<Catalog>, session: Arc<Session>, context: &SubscriptionContext) {
    let mut changes = catalog.changes();
    let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let wants_list = context.accepted().resources_list_changed == Some(true);
    let mut known = (None, uris.into_iter().map(|uri| (uri, None)).collect::<Followed>());
    let mut first = true;
    loop {
        let (asked, follower) = (Arc::clone(&catalog), Arc::clone(&session));
        let looked = tokio::task::spawn_blocking(move || {
            let (mut list, mut followed) = known;
            let news = asked.news(&follower, &mut list, &mut followed);
            ((list, followed), news)
        });
        let Ok((now, news)) = looked.await else { return };
        known = now;
        // The first look is what later ones are compared with. What was published meanwhile may or may not be in it, so
        // the next look reports everything.
        if std::mem::take(&mut first) {
            if changes.has_changed().unwrap_or(false) {
                known.0 = known.0.map(|figure| !figure);
                known.1.values_mut().for_each(|state| *state = state.map(|figure| !figure));
            }
        } else {
            let mut sent = Ok(());
            if news.list && wants_list {
                sent = context.sink().notify_resource_list_changed().await;
            }
            for uri in news.resources {
                sent = sent.and(context.sink().notify_resource_updated(uri).await);
            }
            if sent.is_err() {
                return;
            }
        }
        tokio::select! {
            going_on = next(&mut changes, || false) => if !going_on { return },
            () = context.cancelled() => return,
        }
    }
}
