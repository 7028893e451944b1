//! `cruxe serve-mcp --transport http`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use cruxe_model::config::HttpConfig;
#[cfg(feature = "team")]
use cruxe_server::Session;
use cruxe_server::http::{
    AccessPolicy, Backend, FindScope, HttpError, HttpOptions, Token, listen, read_tls, serve_http, serve_pages,
};
use cruxe_server::{App, Server};
use cruxe_web::{Site, SiteOptions};
use tokio::net::TcpListener;

use crate::context::CliError;
use crate::output;

/// The variable that a token can stand in.
const TOKEN_VARIABLE: &str = "CRUXE_TOKEN";

/// How clients reach the server over HTTP.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "HTTP")]
pub(crate) struct HttpArgs {
    /// The port; 0 for any [default: 9100]
    #[arg(long)]
    port: Option<u16>,
    /// The address; anything but loopback needs a token [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR")]
    bind: Option<IpAddr>,
    /// A file with the token that clients must show; the variable CRUXE_TOKEN does the same
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The certificate, PEM; serves HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A name under which clients know the server; repeat it for several
    #[arg(long, value_name = "HOST")]
    allowed_host: Vec<String>,
    /// A web page that may ask, for example https://app.example.org; repeat it for several
    #[arg(long, value_name = "ORIGIN")]
    allowed_origin: Vec<String>,
    /// Without the token of the environment, which is that of another server.
    #[arg(skip)]
    is_local: bool,
}

impl HttpArgs {
    /// A port of this machine that nobody else reaches, without a token.
    pub fn local(port: u16) -> HttpArgs {
        HttpArgs { port: Some(port), is_local: true, ..HttpArgs::default() }
    }
}

/// A server that has its port.
pub(crate) struct Ready {
    listener: TcpListener,
    options: HttpOptions,
}

/// Reads token and certificate and takes the port: everything that can be wrong with the arguments.
pub(crate) async fn prepare(args: HttpArgs, limits: &HttpConfig) -> Result<Ready, CliError> {
    prepare_for(args, limits, None).await
}

/// The same for a server with many callers, who each see what `scopes` says.
pub(crate) async fn prepare_for(
    args: HttpArgs,
    limits: &HttpConfig,
    scopes: Option<FindScope>,
) -> Result<Ready, CliError> {
    let bind = args.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let token = if args.is_local { None } else { token(args.token_file.as_deref())? };
    let tls = match args.tls_cert.as_deref().zip(args.tls_key.as_deref()) {
        Some((certificate, key)) => Some(read_tls(certificate, key).map_err(usage)?),
        None => None,
    };
    let access = AccessPolicy::new(bind, token, &args.allowed_host, &args.allowed_origin).map_err(usage)?;
    let access = match scopes {
        Some(scopes) => access.with_scopes(scopes),
        None => access,
    };
    let listener = listen(bind, args.port.unwrap_or(9100), &access).await.map_err(|problem| match problem {
        HttpError::TokenRequired(_) => CliError::Usage(format!(
            "{problem}; give `--token-file FILE` or set {TOKEN_VARIABLE} (`openssl rand -hex 32` makes one)"
        )),
        HttpError::Listen { .. } => CliError::Environment(format!("{problem}; choose another --port or --bind")),
    })?;
    if !bind.is_loopback() && tls.is_none() {
        tracing::warn!("without TLS the token and all answers can be read on their way; see --tls-cert");
    }
    Ok(Ready { listener, options: HttpOptions { access: Arc::new(access), tls, limits: limits.clone(), pages: None } })
}

impl Ready {
    /// Says where, and serves until SIGINT or SIGTERM. A second signal ends at once.
    pub async fn serve(mut self, app: &Arc<App>, server: Arc<Server>, web: bool) -> Result<(), CliError> {
        output::note(&format!("listening on {}", self.address("/mcp")));
        let site = if web { Some(self.site(app, &server, false)?) } else { None };
        if let Some(site) = &site {
            output::note(&format!("pages on {}", self.address("/")));
            self.options.pages = Some(site.router());
        }
        let backend = Backend::new(Arc::clone(app), server);
        let end = end_with(site);
        tokio::select! {
            () = serve_http(self.listener, backend, self.options, end) => {}
            () = async { signal().await; signal().await } => {}
        }
        Ok(())
    }

    /// Says where, and serves tools, pages and some routes beside them until SIGINT or SIGTERM. There is no workspace of its own.
    #[cfg(feature = "team")]
    pub async fn serve_team(
        mut self,
        app: &Arc<App>,
        server: Arc<Server>,
        routes: axum::Router,
    ) -> Result<(), CliError> {
        let site = self.site(app, &server, true)?;
        output::note(&format!("pages on {}", self.address("/")));
        output::note(&format!("listening on {}", self.address("/mcp")));
        self.options.pages = Some(routes.merge(site.team_router()));
        let served = Arc::clone(&server);
        let connect = Box::new(move || served.connect_with(Session::fleeting()));
        let backend = Backend { server, connect, app: None };
        tokio::select! {
            () = serve_http(self.listener, backend, self.options, end_with(Some(site))) => {}
            () = async { signal().await; signal().await } => {}
        }
        Ok(())
    }

    /// Says where, and serves pages and nothing else until SIGINT or SIGTERM.
    pub async fn serve_pages(self, app: &Arc<App>, server: Arc<Server>, address: &str) -> Result<(), CliError> {
        let site = self.site(app, &server, false)?;
        output::note(&format!("{address}  (Ctrl-C ends it)"));
        let (pages, end) = (site.whole_router(), end_with(Some(site)));
        tokio::select! {
            () = serve_pages(self.listener, pages, self.options, end) => {}
            () = async { signal().await; signal().await } => {}
        }
        Ok(())
    }

    /// The address of a page.
    pub fn address(&self, page: &str) -> String {
        let scheme = if self.options.tls.is_some() { "https" } else { "http" };
        let host = self.listener.local_addr().map_or_else(|_| String::new(), |address| address.to_string());
        format!("{scheme}://{host}{page}")
    }

    fn site(&self, app: &Arc<App>, server: &Arc<Server>, is_team: bool) -> Result<Arc<Site>, CliError> {
        let options = SiteOptions {
            access: Arc::clone(&self.options.access),
            tls: self.options.tls.is_some(),
            version: env!("CARGO_PKG_VERSION"),
            is_team,
        };
        Site::new(Arc::clone(app), Arc::clone(server), options)
            .ok_or_else(|| CliError::Environment("the system has no random numbers".to_owned()))
    }
}

/// Ends with the next signal, and tells the pages that are open.
async fn end_with(site: Option<Arc<Site>>) {
    signal().await;
    site.iter().for_each(|site| site.end());
}

/// The token of the file, else of the environment.
fn token(file: Option<&Path>) -> Result<Option<Token>, CliError> {
    let (text, origin) = match file {
        Some(file) => {
            warn_if_others_may_read(file);
            let text = std::fs::read_to_string(file);
            (
                text.map_err(|problem| CliError::Usage(format!("--token-file {}: {problem}", file.display())))?,
                "the file",
            )
        }
        None => match std::env::var(TOKEN_VARIABLE) {
            Ok(text) => (text, TOKEN_VARIABLE),
            Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                return Err(CliError::Usage(format!("{TOKEN_VARIABLE} is no text")));
            }
        },
    };
    Token::new(&text).map(Some).map_err(|problem| CliError::Usage(format!("{origin}: {problem}")))
}

/// Ends with the next SIGINT or SIGTERM.
/// Says so where every user of the machine can read the token. It is no error: the file may be mounted by something that
/// knows no other rights.
fn warn_if_others_may_read(file: &Path) {
    #[cfg(unix)]
    if let Ok(metadata) = std::fs::metadata(file)
        && std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o004 != 0
    {
        let name = file.display();
        tracing::warn!("every user of this machine can read the token in {name}; `chmod 600 {name}` ends that");
    }
    #[cfg(not(unix))]
    let _ = file;
}

async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let (Ok(mut interrupt), Ok(mut terminate)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn usage(problem: impl std::fmt::Display) -> CliError {
    CliError::Usage(problem.to_string())
}
