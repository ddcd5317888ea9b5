//! The least that a tonic server can do as gRPC: reads the message of a request, answers the bytes given as hex.

use bytes::{Buf, BufMut, Bytes};
use std::{
    convert::Infallible,
    future::{Ready, ready},
    pin::Pin,
    task::{Context, Poll},
};
use tonic::{
    Request, Response, Status,
    body::Body,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    server::{Grpc, NamedService, UnaryService},
    transport::{Server, server::TcpIncoming},
};

/// Messages as the bytes that they are.
#[derive(Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

/// `engine.EngineService`, of which `Execute` alone is called.
#[derive(Clone)]
struct Engine {
    answer: Bytes,
}

impl NamedService for Engine {
    const NAME: &'static str = "engine.EngineService";
}

impl UnaryService<Bytes> for Engine {
    type Response = Bytes;
    type Future = Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, _request: Request<Bytes>) -> Self::Future {
        ready(Ok(Response::new(self.answer.clone())))
    }
}

impl tower_service::Service<http::Request<Body>> for Engine {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let engine = self.clone();
        Box::pin(async move { Ok(Grpc::new(Raw).unary(engine, request).await) })
    }
}

fn bytes_of(hex: &str) -> Bytes {
    let digits: Vec<u8> = hex.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answer = bytes_of(&std::env::args().nth(1).ok_or("the answer in hex is missing")?);
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse()?)?.with_nodelay(Some(true));
    let address = incoming.local_addr()?;
    println!("listens on http://{address} and {address} (gRPC)");
    Server::builder().add_service(Engine { answer }).serve_with_incoming(incoming).await?;
    Ok(())
}
