//! Sends the requests of a file in turn over some connections for some seconds, one request at a time on each, and prints
//! how many were answered. A client in JavaScript takes more processor time for a request than the servers do.
//!
//! Arguments: host and port, connections, milliseconds, file. The file has one request after the other, each after its
//! length in four bytes, big-endian.

use std::{cell::Cell, error::Error, rc::Rc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::LocalSet,
    time::{Instant, timeout_at},
};

const ANSWER_BYTES: usize = 64 * 1024;

type Failure = Box<dyn Error>;

fn requests_of(mut file: &[u8]) -> Vec<&[u8]> {
    let mut requests = Vec::new();
    while let Some((length, rest)) = file.split_first_chunk::<4>() {
        let (request, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
        requests.push(request);
        file = rest;
    }
    requests
}

/// How many bytes the answer has that begins here. None: its head is not complete.
fn length_of(answer: &[u8]) -> Result<Option<usize>, Failure> {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&answer[..end])?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return Err(format!("answered: {head}").into());
    }
    let mut fields = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let (_, length) =
        fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length")).ok_or("an answer without its length")?;
    Ok(Some(end + 4 + length.trim().parse::<usize>()?))
}

async fn exchange(stream: &mut TcpStream, request: &[u8], answer: &mut [u8]) -> Result<(), Failure> {
    stream.write_all(request).await?;
    let mut filled = 0;
    loop {
        let count = stream.read(&mut answer[filled..]).await?;
        if count == 0 {
            return Err("a connection was closed, or an answer is too long".into());
        }
        filled += count;
        if length_of(&answer[..filled])?.is_some_and(|length| length <= filled) {
            return Ok(());
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, milliseconds, file] = &arguments[..] else {
        return Err("arguments: address, connections, milliseconds, file".into());
    };
    let file: &'static [u8] = std::fs::read(file)?.leak();
    let requests: Rc<[&[u8]]> = requests_of(file).into();
    let [next, answered] = [0, 0].map(|count| Rc::new(Cell::new(count)));
    let begin = Instant::now();
    let end = begin + Duration::from_millis(milliseconds.parse()?);
    let tasks = LocalSet::new();
    for _ in 0..connections.parse::<usize>()? {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (requests, next, answered) = (requests.clone(), next.clone(), answered.clone());
        tasks.spawn_local(async move {
            let mut answer = vec![0; ANSWER_BYTES];
            while Instant::now() < end {
                let request = requests[next.replace(next.get() + 1) % requests.len()];
                if let Err(failure) = exchange(&mut stream, request, &mut answer).await {
                    eprintln!("{failure}");
                    std::process::exit(1);
                }
                answered.set(answered.get() + 1);
            }
        });
    }
    let _ = timeout_at(end + Duration::from_secs(10), tasks).await;
    println!("{} {}", answered.get(), begin.elapsed().as_micros());
    Ok(())
}
