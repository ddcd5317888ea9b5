import { type GrpcObject, credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codesIn } from '../answer.ts'
import { BODIES } from '../hostile/bodies.ts'
import { ENCODED } from '../hostile/codings.ts'
import { EXPRESSIONS } from '../hostile/expressions.ts'
import { FILTERS } from '../hostile/filters.ts'
import { DECIMALS } from '../hostile/decimals.ts'
import { CALLS, startUpstream } from '../hostile/calls.ts'
import { FRAMES_OF_GRPC } from '../hostile/frames.ts'
import { startProbe } from '../hostile/probe.ts'
import type { GrpcRequest, HostileRequest, HttpRequest, RawConnection, Row, Urls } from '../hostile/row.ts'
import { RULESETS } from '../hostile/rulesets.ts'
import { YAML } from '../hostile/yaml.ts'
import { longestHeld } from '../loop-delay/loop.ts'
import { table } from '../measure.ts'
import { memoryOf } from '../memory.ts'
import { type Running, startUnpinnedProbed } from '../servers.ts'
import { put } from './against-bare.ts'

/** Milliseconds after which a request is given up. */
const MAX_WAIT = 40_000
/** Milliseconds during which a changed file is looked at, and an unfinished body is held. */
const FILE_WAIT = 4000
const UNFINISHED_WAIT = 500
/** Milliseconds before and after a row. */
const SETTLE = 300
const BAR_SILENCE = 100
const BAR_MEMORY = 512

/**
 * The most expensive requests for their size, each against its own server, with a concurrent health probe. `HOSTILE`
 * chooses rows by a part of their name.
 */
export async function hostile(): Promise<void> {
  const all = [EXPRESSIONS, RULESETS, FILTERS, DECIMALS, BODIES, ENCODED, YAML, CALLS, FRAMES_OF_GRPC].flat()
  const chosen = all.filter(({ name }) => name.includes(process.env['HOSTILE'] ?? ''))
  const rows: (readonly [name: string, ...Measured])[] = []
  for (const row of [NOTHING, ...chosen]) {
    const found = await measured(row)
    rows.push([row.name, ...found])
    console.error([row.name, ...found.map((cell) => (typeof cell === 'number' ? cell.toFixed(0) : cell))].join(' | '))
  }
  table(
    [
      'request',
      'answer',
      'ms until the answer',
      'event loop held, processor ms',
      'longest silence, ms',
      'memory above idle, MiB',
    ],
    rows,
  )
  const held = rows.map(([, , , processor]) => processor)
  const silences = rows.map(([, , , , silence]) => silence)
  const peaks = rows.map(([, , , , , peak]) => peak)
  console.log(`\n${rows.length - 1} rows; longest silence ${Math.max(...silences).toFixed(0)} ms`)
  console.log(`beyond ${BAR_SILENCE} ms: ${named(rows, silences, BAR_SILENCE)}`)
  console.log(`event loop held for more than ${BAR_SILENCE} ms of processor time: ${named(rows, held, BAR_SILENCE)}`)
  console.log(`beyond ${BAR_MEMORY} MiB: ${named(rows, peaks, BAR_MEMORY)}`)
}

const NOTHING: Row = { name: 'nothing', request: () => undefined }

function named(
  rows: readonly (readonly [name: string, ...Measured])[],
  values: readonly number[],
  bar: number,
): string {
  return rows.flatMap(([name], index) => ((values[index] ?? 0) > bar ? [name] : [])).join('; ') || 'none'
}

/**
 * Answer, milliseconds until it, milliseconds of processor time for which the event loop of the process that was started was
 * held (of workers that of their owner), longest silence in milliseconds, MiB above the idle server at most.
 */
type Measured = readonly [answer: string, elapsed: number, held: number, silence: number, peak: number]

const OPTIONS = ['--grpc-addr', '127.0.0.1:0', '--debug-mode', '--watch-rules', '--network-http-allow', '127.0.0.1']

function rulesetsOf({ rulesets = [] }: Row, urls: Urls): readonly object[] {
  return typeof rulesets === 'function' ? rulesets(urls) : rulesets
}

async function measured(row: Row): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'hostile-'))
  const file = `${directory}.probe.json`
  const start = () => startUnpinnedProbed(file, '--rules-dir', directory, ...OPTIONS, ...(row.options ?? []))
  let [engine, upstream] = await Promise.all([start(), startUpstream()])
  try {
    for (const ruleset of rulesetsOf(row, { engine: engine.url, upstream: upstream.url })) await put(engine, ruleset)
    if (row.isRestarted === true) {
      await engine.stop()
      engine = await start()
    }
    return await attacked(engine, row, directory, file)
  } catch (error) {
    // Then the row measures nothing, and reports so.
    return [`not prepared: ${String(error).slice(0, 200)}`, Number.NaN, Number.NaN, Number.NaN, Number.NaN]
  } finally {
    // What still computes would not end by itself.
    engine.process.kill('SIGKILL')
    await once(engine.process, 'exit')
    upstream.close()
    for (const path of [directory, file]) rmSync(path, { recursive: true, force: true })
  }
}

async function attacked(engine: Running, row: Row, directory: string, file: string): Promise<Measured> {
  const {
    url,
    grpc,
    process: { pid },
  } = engine
  const made = row.request()
  const probe = startProbe(url)
  await sleep(SETTLE)
  probe.longest()
  await longestHeld(engine, file)
  const idle = memoryOf(pid)?.peak ?? Number.NaN
  const begin = performance.now()
  const answer = await answered(url, grpc, made, row.times ?? 1, directory)
  const elapsed = performance.now() - begin
  await sleep(SETTLE)
  const silence = probe.longest()
  await probe.stop()
  const peak = memoryOf(pid)?.peak
  const { processor } = await longestHeld(engine, file)
  return [
    peak === undefined ? `${answer}; the server ended` : answer,
    elapsed,
    processor,
    silence,
    (peak ?? Number.NaN) - idle,
  ]
}

async function answered(
  url: string,
  grpc: string,
  made: HostileRequest | undefined,
  times: number,
  directory: string,
): Promise<string> {
  switch (made?.kind) {
    case undefined:
      await sleep(FILE_WAIT)
      return ''
    case 'file':
      writeFileSync(join(directory, made.name), made.text)
      await sleep(FILE_WAIT)
      return 'a file'
    case 'http':
    case 'grpc':
    case 'connection': {
      const ask = () =>
        made.kind === 'http' ? askHttp(url, made) : made.kind === 'grpc' ? askGrpc(grpc, made) : sendBytes(grpc, made)
      return [...new Set(await Promise.all(Array.from({ length: times }, ask)))].join(', ')
    }
  }
}

function askHttp(url: string, { method, path, body, contentType, coding, unfinished }: HttpRequest): Promise<string> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(body)
    const headers = {
      'content-type': contentType ?? 'application/json',
      ...(coding === undefined ? {} : { 'content-encoding': coding }),
      'content-length': bytes.length + (unfinished === true ? 1 : 0),
    }
    const request = requestHttp(`${url}${path}`, { method, headers, agent: false, timeout: MAX_WAIT }, (response) => {
      let text = ''
      response.setEncoding('latin1')
      response.on('data', (chunk: string) => (text = text.length < 2000 ? text + chunk : text))
      response.on('end', () => resolve(`${response.statusCode ?? 0} ${codesIn(text)}`.trim()))
      response.on('error', () => resolve(`${response.statusCode ?? 0}, cut`))
    })
    request.on('timeout', () => {
      request.destroy()
      resolve(`none within ${MAX_WAIT / 1000} s`)
    })
    request.on('error', (error) => resolve(error.message))
    request.write(bytes)
    if (unfinished === true) setTimeout(() => request.destroy(new Error('unfinished')), UNFINISHED_WAIT)
    else request.end()
  })
}

/** Milliseconds that a connection which the server does not end is held. */
const CONNECTION_WAIT = 3000

function sendBytes(address: string, { bytes }: RawConnection): Promise<string> {
  const [host = '', port] = address.split(':')
  return new Promise((resolve) => {
    const socket = connect(Number(port), host, () => socket.write(bytes))
    const timer = setTimeout(() => socket.destroy(), CONNECTION_WAIT)
    const begin = performance.now()
    socket.on('error', () => {})
    socket.resume().on('close', () => {
      clearTimeout(timer)
      resolve(performance.now() - begin < CONNECTION_WAIT ? 'the connection ended' : 'the connection stayed open')
    })
  })
}

const definition = loadPackageDefinition(
  loadSync(join(import.meta.dirname, '../../packages/api/proto/engine.proto'), { keepCase: true }),
)

function askGrpc(address: string, { method, message }: GrpcRequest): Promise<string> {
  const { EngineService } = definition['engine'] as GrpcObject
  const Service = EngineService as ServiceClientConstructor
  const client = new Service(address, credentials.createInsecure(), { 'grpc.max_send_message_length': -1 })
  return new Promise((resolve) => {
    const call = client[method] as (
      sent: object,
      options: object,
      done: (error: { readonly code: number; readonly details: string } | null) => void,
    ) => void
    call.call(client, message, { deadline: Date.now() + MAX_WAIT }, (error) => {
      client.close()
      resolve(error === null ? 'OK' : `status ${error.code}`)
    })
  })
}
