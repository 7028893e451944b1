//! A small fixed sample of every kind of question, asked about a made-up project below `fixtures`: what a change of the ranking
//! breaks is noticed here. Whether a change is good is measured with other people's repositories, see `bench`.

use std::path::Path;

use super::rank::Weights;
use super::{Question, SearchHit, search_with};
use crate::testing::Indexed;

/// A question and the places that its answer should name: a file, or `path name` of a symbol in it.
type Asked = (&'static str, &'static [&'static str]);

const SHORT: &[Asked] = &[
    ("how does a request reach the function that answers it", &["server/http/app.py", "server/http/router.py"]),
    ("where are url patterns matched", &["server/http/router.py"]),
    ("how is the lifetime of a login limited", &["server/http/tokens.py"]),
    ("who is turned away without authentication", &["server/http/middleware.py"]),
    ("response compression", &["server/http/middleware.py"]),
    ("measure how long a request takes", &["server/http/middleware.py"]),
    ("which states can follow each other", &["server/parcels/models.py"]),
    ("shipment lifecycle", &["server/parcels/models.py"]),
    ("how are tracking numbers made and checked", &["server/parcels/numbers.py"]),
    ("history of a parcel, newest first", &["server/parcels/views.py"]),
    ("send an email to the customer", &["server/parcels/notify.py"]),
    ("sms notification", &["server/parcels/notify.py"]),
    ("database connection pool", &["server/storage/database.py"]),
    ("how is a parcel written to the tables", &["server/storage/repository.py"]),
    ("schema upgrade steps", &["server/storage/migrations.py"]),
    ("evict the least recently used entry", &["server/storage/cache.py"]),
    ("how much does shipping cost", &["server/billing/prices.py"]),
    ("value added tax", &["server/billing/prices.py"]),
    ("bill for business customers at the end of the month", &["server/billing/invoices.py"]),
    ("environment variables and defaults", &["server/settings.py"]),
    ("retry with exponential backoff", &["web/src/api/retry.ts"]),
    ("how does the browser call the server", &["web/src/api/client.ts"]),
    ("draw the route on a map", &["web/src/components/TrackingMap.tsx"]),
    ("form validation", &["web/src/components/ParcelForm.tsx"]),
    ("dark mode", &["web/src/theme.ts"]),
    ("offline scans are kept until the network is back", &["agent/sync/queue.go"]),
    ("read barcodes from the device", &["agent/scanner/reader.go"]),
    ("entry point of the device program", &["agent/main.go"]),
    ("shortest route through all stops", &["planner/src/tour.rs"]),
    ("distance between two coordinates", &["planner/src/distance.rs"]),
    ("working time of drivers", &["planner/src/schedule.rs"]),
    ("where is scans.log written", &["agent/sync/queue.go"]),
    ("what does PARCELS_DEBUG do", &["server/settings.py"]),
    ("who sets Content-Encoding", &["server/http/middleware.py"]),
    ("where does the insert say on conflict", &["server/storage/repository.py"]),
    ("which versions are in schema_version", &["server/storage/migrations.py"]),
    ("compare_digest of hmac", &["server/http/tokens.py"]),
    ("what is kept in localStorage", &["web/src/theme.ts"]),
    ("when is 429 tried again", &["web/src/api/retry.ts"]),
    ("radius 6371 km", &["planner/src/distance.rs"]),
    ("the limit of 31500 grams", &["server/billing/prices.py"]),
    ("reverse with two_opt", &["planner/src/tour.rs"]),
    ("how are tokens tested", &["tests/test_tokens.py"]),
    ("tests of the router", &["tests/test_router.py"]),
    ("which tests cover prices", &["tests/test_prices.py"]),
    ("test of the greedy tour", &["planner/src/tour.rs a_tour_visits_every_stop_once"]),
    ("sign in and remember the session", &["web/src/api/client.ts"]),
    ("tell somebody that the van comes today", &["server/parcels/notify.py"]),
    ("what happens when nobody answers at this address", &["server/http/router.py"]),
    ("how is the order of visits improved", &["planner/src/tour.rs"]),
    ("great circle", &["planner/src/distance.rs"]),
    ("colours for people who like it dark", &["web/src/theme.ts"]),
    ("what is wrong with the input of a person", &["web/src/components/ParcelForm.tsx"]),
    ("zoom so that everything is seen", &["web/src/components/TrackingMap.tsx"]),
    ("wait longer and longer when the other side is overloaded", &["web/src/api/retry.ts"]),
    ("power failure in the depot must not lose what was scanned", &["agent/sync/queue.go"]),
    ("ignore the same code when it is read twice", &["agent/scanner/reader.go"]),
    ("command line flags of the agent", &["agent/main.go"]),
    ("customers that pay once a month", &["server/billing/invoices.py"]),
    ("how heavy may it be", &["server/billing/prices.py"]),
    ("tables and indexes of the database", &["server/storage/migrations.py"]),
    ("forget old entries when memory is full", &["server/storage/cache.py"]),
    ("configuration of the server", &["server/settings.py"]),
    ("lifecycle from collection to delivery", &["server/parcels/models.py"]),
    ("json answers about a shipment", &["server/parcels/views.py"]),
    ("shared types of the page", &["web/src/api/types.ts"]),
    ("how is a bill drawn on paper", &["server/billing/invoices.py"]),
    ("how are scans sent to the server", &["agent/sync/queue.go"]),
    ("where are connections kept", &["server/storage/database.py"]),
    ("http errors of the browser", &["web/src/api/client.ts"]),
    ("storage of parcels", &["server/storage/repository.py"]),
    ("billing", &["server/billing/invoices.py", "server/billing/prices.py"]),
    ("planner", &["planner/src/tour.rs", "planner/src/schedule.rs", "planner/src/distance.rs"]),
    ("scanner", &["agent/scanner/reader.go"]),
    ("http", &["server/http/app.py", "server/http/router.py", "server/http/middleware.py", "server/http/tokens.py"]),
    ("api of the web page", &["web/src/api/client.ts", "web/src/api/types.ts", "web/src/api/retry.ts"]),
    ("the sync of the agent", &["agent/sync/queue.go"]),
    ("views", &["server/parcels/views.py"]),
    ("theme", &["web/src/theme.ts"]),
    ("schedule", &["planner/src/schedule.rs"]),
    ("notify people", &["server/parcels/notify.py"]),
    ("middleware", &["server/http/middleware.py"]),
    ("class for settings", &["server/settings.py"]),
    ("example of following a parcel", &["examples/track.py"]),
    ("architecture in one page", &["docs/architecture.md"]),
    ("documentation of operations", &["docs/operations.md"]),
    ("Repository", &["server/storage/repository.py Repository"]),
    ("LruCache.get", &["server/storage/cache.py get"]),
    ("Tour::greedy", &["planner/src/tour.rs greedy"]),
    ("verify", &["server/http/tokens.py verify"]),
    ("boundingBox", &["web/src/components/TrackingMap.tsx boundingBox"]),
    ("price_of", &["server/billing/prices.py price_of"]),
    ("Queue.flush", &["agent/sync/queue.go flush"]),
    ("ParcelRepository.load", &["server/storage/repository.py load"]),
    ("Parcel", &["server/parcels/models.py Parcel"]),
    ("NotFound", &["server/http/router.py NotFound"]),
    ("haversine", &["planner/src/distance.rs haversine"]),
    ("Place", &["planner/src/distance.rs Place"]),
    ("State", &["server/parcels/models.py State"]),
    ("Reader", &["agent/scanner/reader.go Reader"]),
    ("announce", &["server/parcels/notify.py announce"]),
    ("upgrade", &["server/storage/migrations.py upgrade"]),
    ("Layer", &["server/http/middleware.py Layer"]),
    ("where does `is_valid` look at the last digit", &["server/parcels/numbers.py is_valid"]),
    ("why does has_overlap sort the shifts", &["planner/src/schedule.rs has_overlap"]),
    ("who calls applyTheme", &["web/src/theme.ts applyTheme"]),
    ("what does LruCache do when it is full", &["server/storage/cache.py"]),
];

const REPORTS: &[Asked] = &[
    (
        "Swapped digits are not noticed\n\nWhen somebody types `12` instead of `21` in a tracking number, the page says \"no \
         parcel has the number\" instead of telling that the number is mistyped. The check digit should have caught it.\n\n```\n\
         >>> is_valid(\"210000000004\")\nTrue\n```\n",
        &["server/parcels/numbers.py check_digit", "server/parcels/numbers.py is_valid"],
    ),
    (
        "TimeoutError under load\n\nAfter an hour all requests fail:\n\n```\nTraceback (most recent call last):\n  File \
         \"/srv/app/server/http/app.py\", line 29, in handle\n    return handler(request)\n  File \
         \"/srv/app/server/storage/repository.py\", line 28, in load\n    connection = self.pool.acquire()\n  File \
         \"/srv/app/server/storage/database.py\", line 24, in acquire\n    raise TimeoutError(f\"all {MAX_OPEN} connections are \
         busy\")\nTimeoutError: all 16 connections are busy\n```\n\nI think a connection that broke is counted as open for ever.\n",
        &["server/storage/database.py acquire"],
    ),
    (
        "Scans are sent twice when the agent is restarted\n\n### Steps\n\n1. scan three parcels without a network\n2. kill the \
         agent while it uploads\n3. start it again\n\n### Expected\n\nWhat the server has already is not sent again.\n\n### \
         Actual\n\n`scans.log` still has all three, it is only emptied when everything was uploaded.\n",
        &["agent/sync/queue.go flush"],
    ),
    (
        "[Feature] a van should return to its depot\n\nThe planned tour ends at the last stop. The way back is not counted, so \
         the optimisation prefers tours that end far away. `Tour.length` should include it.\n",
        &["planner/src/tour.rs length"],
    ),
    (
        "Prices are rounded wrongly for heavy parcels\n\nA parcel of 5001 g costs 14.16, the price list says 14.15. Rounding \
         half up after tax is wrong, our accountants want banker's rounding.\n\nAlso the invoice adds up rounded prices.\n",
        &["server/billing/prices.py price_of"],
    ),
    (
        "HEAD requests are refused\n\n```\n$ curl -I https://parcels.example/parcels/123456789012\n```\n\ngives `MethodNotAllowed: \
         HEAD is not one of GET`. The router should answer HEAD where there is a GET.\n",
        &["server/http/router.py match"],
    ),
];

const MESSAGES: &[Asked] = &[
    ("parcel 123456789012 cannot go from delivered to in depot", &["server/parcels/models.py move_to"]),
    ("this token is not ours: signature mismatch", &["server/http/middleware.py"]),
    ("ValueError: 40000 g is more than anybody carries", &["server/billing/prices.py"]),
    ("cannot open the scanner /dev/ttyUSB3: permission denied", &["agent/main.go"]),
    ("driver kim would work 9 hours without a break", &["planner/src/schedule.rs"]),
    ("PARCELS_SECRET must be set: tokens cannot be signed without it", &["server/settings.py"]),
    (
        "2026-11-17 10:42:01 INFO starting\n2026-11-17 10:42:02 ERROR scan 4711 is not safe: open scans.log: no space left on \
         device\n2026-11-17 10:42:02 INFO ready\n",
        &["agent/sync/queue.go"],
    ),
];

/// The made-up project with its index.
fn project() -> Indexed {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/parcels");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Indexed::new(&files)
}

fn is_right(hit: &SearchHit, right: &str) -> bool {
    let (path, name) = right.split_once(' ').map_or((right, None), |(path, name)| (path, Some(name)));
    hit.file.path.as_str() == path && name.is_none_or(|name| hit.symbol().is_some_and(|symbol| symbol.name == name))
}

/// The rank from 1 of each right place, per question.
fn ranks(project: &Indexed, asked: &[Asked], change: fn(&mut Weights)) -> Vec<Vec<Option<usize>>> {
    let view = project.view();
    let weights = |intent| {
        let mut weights = Weights::of(intent, None);
        change(&mut weights);
        weights
    };
    let ranks = |(query, right): &Asked| {
        let found = search_with(&view, &Question::new(*query, 10), &weights).unwrap().found;
        right.iter().map(|right| found.iter().position(|hit| is_right(hit, right)).map(|at| at + 1)).collect()
    };
    asked.iter().map(ranks).collect()
}

/// The mean of NDCG@10.
fn ndcg(ranks: &[Vec<Option<usize>>]) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
    let of_question = |ranks: &Vec<Option<usize>>| {
        let ideal: f64 = (1..=ranks.len()).map(gain).sum();
        ranks.iter().flatten().map(|rank| gain(*rank)).sum::<f64>() / ideal
    };
    ranks.iter().map(of_question).sum::<f64>() / ranks.len() as f64
}

fn show(asked: &[Asked], ranks: &[Vec<Option<usize>>]) -> String {
    let not_first = |(_, ranks): &(&Asked, &Vec<Option<usize>>)| ranks.iter().all(|rank| *rank != Some(1));
    let shown = asked.iter().zip(ranks).filter(not_first).map(|((query, _), ranks)| format!("{ranks:?} {query}\n"));
    format!("{:.3}\n{}", ndcg(ranks), shown.collect::<String>())
}

/// What reports and messages reach, with a little room: one answer may fall by a few ranks.
const BOUNDS: [(&[Asked], f64); 2] = [(REPORTS, 0.8), (MESSAGES, 0.95)];

/// The short questions whose right places are not the first results, with the sum of their ranks; a place that is not among ten
/// counts as [`NOWHERE`]. A mean over them would hide what a change breaks behind what it mends.
const BEHIND: &[(&str, usize)] = &[
    ("how does a request reach the function that answers it", 7),
    ("how is a parcel written to the tables", 2),
    ("how does the browser call the server", 7),
    ("entry point of the device program", 2),
    ("distance between two coordinates", 2),
    ("where is scans.log written", 2),
    ("what does PARCELS_DEBUG do", 3),
    ("what is kept in localStorage", 4),
    ("sign in and remember the session", 2),
    ("power failure in the depot must not lose what was scanned", 5),
    ("configuration of the server", 7),
    ("json answers about a shipment", 2),
    ("how are scans sent to the server", 2),
    ("http errors of the browser", 2),
    ("storage of parcels", 2),
    ("billing", 4),
    ("planner", 9),
    ("http", 16),
    ("api of the web page", 7),
    ("the sync of the agent", 2),
    ("views", 2),
    ("middleware", 2),
    ("example of following a parcel", 4),
    ("architecture in one page", 2),
];
const NOWHERE: usize = 99;
/// So many may fall without a reason to look: a change that is good elsewhere moves a few. Each part of the ranking that is taken
/// away moves more.
const MAY_FALL: usize = 2;

/// The questions whose right places are further behind than they were.
fn fallen(ranks: &[Vec<Option<usize>>]) -> Vec<(&'static str, usize)> {
    let behind = |query: &str, places: usize| {
        let known = BEHIND.iter().find(|(other, _)| *other == query);
        known.map_or(places * (places + 1) / 2, |(_, sum)| *sum)
    };
    let sums = ranks.iter().map(|ranks| ranks.iter().map(|rank| rank.unwrap_or(NOWHERE)).sum::<usize>());
    let asked = SHORT.iter().zip(sums).map(|((query, right), sum)| (*query, right.len(), sum));
    asked.filter(|(query, places, sum)| *sum > behind(query, *places)).map(|(query, _, sum)| (query, sum)).collect()
}

#[test]
fn a_made_up_project_is_searched_as_well_as_it_was() {
    let project = project();
    let fallen = fallen(&ranks(&project, SHORT, |_| {}));
    assert!(fallen.len() <= MAY_FALL, "{} fell: {fallen:#?}", fallen.len());
    for (asked, bound) in BOUNDS {
        let ranks = ranks(&project, asked, |_| {});
        assert!(ndcg(&ranks) >= bound, "{bound} is asked for: {}", show(asked, &ranks));
    }
}

#[test]
fn a_ranking_that_lost_a_part_is_noticed_on_the_made_up_project() {
    let project = project();
    type Change = fn(&mut Weights);
    let lost: [(&str, Change); 7] = [
        ("meaning", |weights| weights.semantic = 0.0),
        ("words of chunks", |weights| weights.chunks = 0.0),
        ("words of files", |weights| weights.file = 0.0),
        ("names of files", |weights| weights.stem = 0.0),
        ("folders", |weights| weights.folders = 0.0),
        ("definitions", |weights| (weights.definition, weights.kind, weights.qualifiers) = (0.0, 0.0, 0.0)),
        ("its proportions", |weights| (weights.semantic, weights.folders) = (weights.semantic * 4.0, 0.4)),
    ];
    for (what, change) in lost {
        let fallen = fallen(&ranks(&project, SHORT, change));
        assert!(fallen.len() > MAY_FALL, "without {what}: {fallen:?}");
    }
}

#[test]
fn what_is_known_to_be_behind_is_asked_for() {
    for (query, sum) in BEHIND {
        let places = SHORT.iter().find(|(asked, _)| asked == query).map(|(_, right)| right.len());
        assert!(places.is_some_and(|places| *sum > places * (places + 1) / 2), "{query}");
    }
}
