import { SECURITY_HEADERS } from '@engine/http-server'
import { packageFile } from '@engine/process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'

const PACKED = packageFile(import.meta.url, 'dist/site')

/** The web studio: in the published package, otherwise in the output of `npm run build -w apps/studio`. */
export const STUDIO_FILES = existsSync(PACKED) ? PACKED : packageFile(import.meta.url, '../studio/dist/site')

/** Answers requests of browsers for the web studio. */
export interface Studio {
  /** Answers the request if the path belongs to the studio; returns false otherwise. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
}

/** Codings in which the build stores a compressed copy of a file, smallest first. */
const CODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** Paths of the platform itself: the studio has no pages below them. */
const OWN = /^\/(?:api|docs|health|healthz|metrics|outside-of-base-path)(?:\/|$)/i

/** The worker computes and sends no requests: it may load its own script only. */
const WORKER_POLICY = "default-src 'none'; script-src 'self'"

/**
 * Policy of the page. Styles created by CodeMirror carry the nonce; the only script address created at run time is that
 * of the worker.
 */
const pagePolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types studio-worker',
  ].join('; ')

/**
 * The built studio of a folder; undefined if it was not built. The files are listed now, so no path leads out of the
 * folder; each is read at its first request.
 */
export function openStudio(folder: string, basePath: string): Studio | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/')),
  )
  const read = reading(folder)
  return {
    async answer(request, response) {
      const { method = '', url = '' } = request
      const [path = ''] = url.split('?', 1)
      if ((method !== 'GET' && method !== 'HEAD') || OWN.test(path)) return false
      const name = path.slice(1)
      // Names of rulesets may have dots.
      const isPage = extname(name) === '' || name.startsWith('o/')
      const found = isPage ? await page(read, basePath) : await asset(read, names, name, request)
      if (found === undefined) return false
      write(response, found)
      return true
    },
  }
}

interface Found {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

type Read = (name: string) => Promise<Buffer>

/** Reads a file once. */
function reading(folder: string): Read {
  const known = new Map<string, Promise<Buffer>>()
  return (name) => {
    const found = known.get(name) ?? readFile(join(folder, name))
    known.set(name, found)
    return found
  }
}

/** The page with the base path of the studio and a new nonce. */
async function page(read: Read, basePath: string): Promise<Found> {
  const nonce = randomBytes(16).toString('base64')
  const html = (await read('index.html')).toString()
  const body = html
    .replace('<base href="/"', `<base href="${basePath}/"`)
    .replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`)
  const headers = { 'content-type': TYPES['.html'] ?? '', 'content-security-policy': pagePolicy(nonce) }
  return { status: 200, headers: { ...headers, 'cache-control': 'no-store' }, body: Buffer.from(body) }
}

/** Names below `assets/` contain a hash of the content; other files are revalidated at each use. */
async function asset(
  read: Read,
  names: ReadonlySet<string>,
  name: string,
  request: IncomingMessage,
): Promise<Found | undefined> {
  if (!names.has(name) || TYPES[extname(name)] === undefined || name === 'index.html') return undefined
  const coding = CODINGS.find(({ name: coded, suffix }) => accepts(request, coded) && names.has(name + suffix))
  // A later build has replaced the file: pages of the earlier build must be reloaded.
  const body = await read(name + (coding?.suffix ?? '')).catch(() => undefined)
  if (body === undefined) return undefined
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const isHashed = name.startsWith('assets/')
  const headers = {
    'content-type': TYPES[extname(name)] ?? '',
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'accept-encoding',
    ...(coding !== undefined && { 'content-encoding': coding.name }),
    ...(name.includes('.worker') && { 'content-security-policy': WORKER_POLICY }),
  }
  if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: Buffer.alloc(0) }
  return { status: 200, headers, body }
}

/** True if a coding is accepted with a weight other than 0. */
function accepts({ headers }: IncomingMessage, coding: string): boolean {
  const { 'accept-encoding': accepted = '' } = headers
  return [accepted]
    .flat()
    .join()
    .split(',')
    .some((one) => {
      const [name = '', weight = ''] = one.split(';')
      return name.trim() === coding && !/^\s*q=0(?:\.0*)?\s*$/.test(weight)
    })
}

function write(response: ServerResponse, { status, headers, body }: Found): void {
  if (response.headersSent || response.destroyed) return
  const length = status === 304 ? {} : { 'content-length': body.length }
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'cross-origin-opener-policy': 'same-origin',
    ...headers,
    ...length,
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
