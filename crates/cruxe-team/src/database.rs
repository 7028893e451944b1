//! Connections to PostgreSQL, for callers that wait.
//!
//! Commands, workers and tools run on threads of their own and block; the connections are driven by a small runtime here. A
//! connection that broke is replaced at the next use: PostgreSQL may be restarted at any time.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::runtime::Runtime;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};

use crate::error::TeamError;
use crate::notices::Notice;
use crate::tls::Tls;

/// Connections that are kept while nobody uses them.
const MOST_IDLE: usize = 8;
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How long what was sent may stay without a sign that it arrived, and a connection without any word. A network that was away for a while is
/// not tried again by the system until long after it is back.
const UNHEARD: Duration = Duration::from_secs(10);
/// How long statements may take. A server that moved to another machine, or a network that lost the connection, says nothing at all.
const ANSWER_TIME: Duration = Duration::from_secs(20);
/// The same where a storage is asked in between.
const LONG_TIME: Duration = Duration::from_secs(15 * 60);

/// A team's database.
pub struct Database {
    runtime: Runtime,
    config: Config,
    tls: Option<Tls>,
    idle: Mutex<Vec<Client>>,
}

impl Database {
    /// The database at an address such as `postgresql://user:password@host/name`. Nothing is connected yet.
    pub fn at(address: &str) -> Result<Database, TeamError> {
        let refused =
            |problem: tokio_postgres::Error| TeamError::Usage(format!("the address of the database: {problem}"));
        let mut config: Config = address.parse().map_err(refused)?;
        config.connect_timeout(CONNECT_TIME).application_name("cruxe");
        config.tcp_user_timeout(UNHEARD).keepalives_idle(UNHEARD).keepalives_interval(UNHEARD / 3);
        let tls = if needs_tls(&config) { Some(Tls::new()?) } else { None };
        if tls.is_some() {
            config.ssl_mode(SslMode::Require);
        } else {
            config.ssl_mode(SslMode::Disable);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgresql")
            .enable_all()
            .build()
            .map_err(|problem| TeamError::Database(format!("cannot start: {problem}")))?;
        Ok(Database { runtime, config, tls, idle: Mutex::default() })
    }

    /// Runs statements on a connection and waits for them.
    pub(crate) fn run<T>(&self, work: impl AsyncFnOnce(&mut Client) -> Result<T, TeamError>) -> Result<T, TeamError> {
        self.run_within(ANSWER_TIME, work)
    }

    /// The same for statements with something slow between them.
    pub(crate) fn run_long<T>(
        &self,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        self.run_within(LONG_TIME, work)
    }

    fn run_within<T>(
        &self,
        patience: Duration,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        self.runtime.block_on(async {
            let mut client = self.client().await?;
            let outcome = within(patience, work(&mut client)).await;
            if matches!(outcome, Err(TeamError::Unreachable(_))) {
                // Those that wait for their next use went the same way; each would cost its own time to be found out.
                self.idle.lock().clear();
            }
            let mut idle = self.idle.lock();
            // One that failed may be in the middle of something.
            if outcome.is_ok() && !client.is_closed() && idle.len() < MOST_IDLE {
                idle.push(client);
            }
            outcome
        })
    }

    /// The same for what only reads, or can be said twice: it is tried again for a while when the connection broke.
    pub(crate) fn insist<T>(
        &self,
        patience: Duration,
        work: impl AsyncFn(&mut Client) -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        let deadline = Instant::now() + patience;
        loop {
            match self.run(&work) {
                Err(TeamError::Unreachable(_)) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                outcome => return outcome,
            }
        }
    }

    async fn client(&self) -> Result<Client, TeamError> {
        loop {
            let idle = self.idle.lock().pop();
            match idle {
                Some(client) if client.is_closed() => {}
                Some(client) => return Ok(client),
                None => return self.connect(None).await,
            }
        }
    }

    /// Connects, greeting included: a line that was cut in between takes what is sent and never answers, and the driver bounds
    /// only the first part.
    async fn connect(&self, told: Option<crossbeam_channel::Sender<Notice>>) -> Result<Client, TeamError> {
        within(ANSWER_TIME, self.greet(told)).await
    }

    async fn greet(&self, told: Option<crossbeam_channel::Sender<Notice>>) -> Result<Client, TeamError> {
        match &self.tls {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await?;
                tokio::spawn(drive(connection, told));
                Ok(client)
            }
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                tokio::spawn(drive(connection, told));
                Ok(client)
            }
        }
    }

    /// Connects and hears what is told on some channels, until the connection ends. The client is to be kept as long as somebody
    /// listens.
    pub(crate) fn listen(
        &self,
        channels: &[&str],
        told: crossbeam_channel::Sender<Notice>,
    ) -> Result<Client, TeamError> {
        self.runtime.block_on(async {
            let client = self.connect(Some(told)).await?;
            let listens: Vec<String> = channels.iter().map(|channel| format!("LISTEN {channel};")).collect();
            within(ANSWER_TIME, async { Ok(client.batch_execute(&listens.concat()).await?) }).await?;
            Ok(client)
        })
    }
}

/// What comes of something, or that it took too long.
async fn within<T>(patience: Duration, work: impl Future<Output = Result<T, TeamError>>) -> Result<T, TeamError> {
    let silent = || TeamError::Unreachable(format!("there was no answer within {} s", patience.as_secs()));
    tokio::time::timeout(patience, work).await.unwrap_or_else(|_| Err(silent()))
}

/// Whether the connection leaves the machine, or the address asks for encryption.
fn needs_tls(config: &Config) -> bool {
    let local = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    match config.get_ssl_mode() {
        SslMode::Disable => false,
        SslMode::Require => true,
        _ => !config.get_hosts().iter().all(local),
    }
}

async fn drive<S, T>(mut connection: Connection<S, T>, told: Option<crossbeam_channel::Sender<Notice>>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    loop {
        match std::future::poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notification(said))) => {
                if let Some(told) = &told {
                    let _ =
                        told.send(Notice::Told { channel: said.channel().to_owned(), text: said.payload().to_owned() });
                }
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => break,
        }
    }
    if let Some(told) = told {
        let _ = told.send(Notice::Lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_takes_the_connection_and_never_greets_is_given_up() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let database = Database::at(&format!("postgresql://cruxe@{}/team", silent.local_addr().unwrap())).unwrap();
        let greeted = within(Duration::from_millis(100), database.greet(None));
        let refused = database.runtime.block_on(greeted).err();
        assert!(matches!(&refused, Some(TeamError::Unreachable(why)) if why.contains("no answer")), "{refused:?}");
    }
}
