//! What changed, for pages that are open: published refs, cards, jobs.
//!
//! Publishes are told by the workspace. Cards may be ignored by git and so by the watcher, and a job's progress is told to nobody:
//! both are looked at a few times a second while a page is open, and never otherwise.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cruxe_server::App;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};
use tokio_stream::Stream;

use crate::visit::{Place, Visit};

/// How often cards and jobs are looked at.
const PACE: Duration = Duration::from_millis(250);
/// How often a silent stream says that it is there.
const BREATH: u32 = 60;
/// Streams at once.
const MOST: usize = 64;

/// How long a stream of a team's node lasts. The page asks for the next by itself, and shows its token with that: one that was revoked
/// is told nothing any more.
const LONGEST_OF_A_TEAM: Duration = Duration::from_secs(20);

/// Who tells.
pub(crate) struct Live {
    published: watch::Sender<u64>,
    ending: watch::Sender<bool>,
    open: AtomicUsize,
}

/// Figures that change with what they are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    index: u64,
    deck: u64,
    job: Option<(u64, Option<u64>)>,
}

impl Figures {
    /// What a page says it was made from.
    pub fn to_json(&self) -> Value {
        let job = self.job.map_or(String::new(), |(done, total)| format!("{done}/{}", total.unwrap_or_default()));
        json!({"index": self.index.to_string(), "deck": self.deck.to_string(), "job": job})
    }
}

impl Live {
    pub fn new(app: &App) -> Live {
        let (published, _) = watch::channel(0);
        let counter = published.clone();
        app.own().on_publish(move || counter.send_modify(|count| *count += 1));
        Live { published, ending: watch::channel(false).0, open: AtomicUsize::new(0) }
    }

    /// Ends every stream.
    pub fn end(&self) {
        self.ending.send_replace(true);
    }
}

impl Visit {
    /// What pages show, as figures.
    pub(crate) fn figures(&self) -> Figures {
        match self.place {
            Place::Own => {
                let workspace = self.workspace();
                let index = workspace.snapshot().map_or(0, |snapshot| snapshot.as_of()) as u64;
                let job = workspace.active_job().ok().flatten().map(|job| (job.done, job.total));
                Figures { index, deck: self.deck_figure(), job }
            }
            Place::Lobby => Figures::default(),
            Place::Repository(_) => Figures { index: self.refs_figure(), ..Figures::default() },
        }
    }

    /// Of the refs that may be seen alone: when others are pushed to is nobody's business.
    fn refs_figure(&self) -> u64 {
        let states = self.workspace().snapshot().and_then(|snapshot| snapshot.refs()).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        for state in states.iter().filter(|state| self.scope.allows_ref(&self.workspace().project.root, &state.name)) {
            (&state.name, &state.commit).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn deck_figure(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        if let Ok(cards) = self.deck().cards() {
            for card in &cards.cards {
                // A card that was read again has a place of its own.
                (Arc::as_ptr(card) as usize, card.id.as_str()).hash(&mut hasher);
            }
            cards.problems.iter().for_each(|problem| problem.to_string().hash(&mut hasher));
        }
        hasher.finish()
    }
}

/// One page that listens; it counts until it is dropped.
struct Listener(Visit);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.site.live.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Tells a page what changes until it is closed.
pub(crate) async fn stream(visit: Visit) -> Response {
    let open = &visit.site.live.open;
    if open.fetch_add(1, Ordering::Relaxed) >= MOST {
        open.fetch_sub(1, Ordering::Relaxed);
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many pages are open.\n").into_response();
    }
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(tell(Listener(visit), sender));
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(Events(receiver))).into_response()
}

async fn tell(listener: Listener, sender: mpsc::Sender<String>) {
    let visit = &listener.0;
    let site = &visit.site;
    let mut published = site.live.published.subscribe();
    let mut ending = site.live.ending.subscribe();
    let mut clock = interval(PACE);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known: Option<Figures> = None;
    let mut silent = 0;
    let began = Instant::now();
    loop {
        tokio::select! {
            _ = clock.tick() => {}
            _ = published.changed() => {}
            _ = ending.changed() => return,
            () = sender.closed() => return,
        }
        if visit.place != Place::Own && began.elapsed() > LONGEST_OF_A_TEAM {
            return;
        }
        let looked = visit.clone();
        let Ok(now) = tokio::task::spawn_blocking(move || looked.figures()).await else { return };
        let said = now.to_json();
        let mut words: Vec<String> = match &known {
            // A page compares this with what it was made from.
            None => vec![event("hello", &said)],
            Some(before) => {
                let before = before.to_json();
                let changed = ["index", "deck", "job"].into_iter().filter(|what| before[what] != said[what]);
                changed.map(|what| event(what, &said)).collect()
            }
        };
        known = Some(now);
        silent = if words.is_empty() { silent + 1 } else { 0 };
        if silent >= BREATH {
            words.push(": here\n\n".to_owned());
            silent = 0;
        }
        for word in words {
            if sender.send(word).await.is_err() {
                return;
            }
        }
    }
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// A channel as a stream of bytes.
struct Events(mpsc::Receiver<String>);

impl Stream for Events {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|word| word.map(|word| Ok(Bytes::from(word))))
    }
}
