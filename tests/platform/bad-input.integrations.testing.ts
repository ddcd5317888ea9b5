import type { BadRequest } from './bad-input.testing.ts'

const KEY = 'PUT /api/v1/projects/{project}/signing-key'
const HOOK = 'POST /api/v1/projects/{project}/webhooks'
const PUT_HOOK = 'PUT /api/v1/projects/{project}/webhooks/{webhook}'
const at = (url: string) => ({ url, events: ['*'] })

const signingKeys: readonly BadRequest[] = [
  { title: 'without a key', route: KEY, body: {}, status: 400, at: '/private_key' },
  {
    title: 'text that is not base64',
    route: KEY,
    body: { private_key: '-----BEGIN' },
    status: 400,
    at: '/private_key',
  },
  { title: 'a key that is too short', route: KEY, body: { private_key: 'AAAA' }, status: 400, says: '3 bytes' },
  {
    title: 'a key that is too long',
    route: KEY,
    body: { private_key: 'A'.repeat(88) },
    status: 400,
    says: '66 bytes',
  },
  { title: 'a public key', route: KEY, body: { public_key: 'A'.repeat(44) }, status: 400, kind: 'unknown-field' },
]

const webhooks: readonly BadRequest[] = [
  { title: 'without a URL', route: HOOK, body: { events: ['*'] }, status: 400, at: '/url' },
  {
    title: 'an unknown event',
    route: HOOK,
    body: { url: 'https://example.com/', events: ['nope'] },
    status: 400,
    at: '/events/0',
    says: '`/events/0` must be one of `*`, `release_created`',
  },
  { title: 'text that is not a URL', route: HOOK, body: at('hooks'), status: 400, at: '/url' },
  { title: 'a URL of another scheme', route: HOOK, body: at('ftp://example.com/'), status: 400, at: '/url' },
  { title: 'a script', route: HOOK, body: at('javascript:alert(1)'), status: 400, at: '/url' },
  { title: 'a file', route: HOOK, body: at('file:///etc/passwd'), status: 400, at: '/url' },
  { title: 'a URL with a password', route: HOOK, body: at('https://a:b@example.com/'), status: 400, at: '/url' },
  { title: 'loopback', route: HOOK, body: at('http://127.0.0.1/'), status: 400, at: '/url' },
  { title: 'loopback in another notation', route: HOOK, body: at('http://2130706433/'), status: 400, at: '/url' },
  { title: 'loopback of IPv6', route: HOOK, body: at('http://[::1]/'), status: 400, at: '/url' },
  { title: 'a private network', route: HOOK, body: at('http://10.0.0.1/'), status: 400, at: '/url' },
  {
    title: 'cloud metadata',
    route: HOOK,
    body: at('http://169.254.169.254/latest/meta-data/'),
    status: 400,
    says: 'never called',
  },
  { title: 'cloud metadata as IPv6', route: HOOK, body: at('http://[::ffff:a9fe:a9fe]/'), status: 400, at: '/url' },
  {
    title: 'a change to a private network',
    route: PUT_HOOK,
    body: { url: 'http://10.0.0.1/' },
    status: 400,
    at: '/url',
  },
  { title: 'no events', route: HOOK, body: { url: 'https://example.com/', events: [] }, status: 400, at: '/events' },
  {
    title: 'an unknown event',
    route: HOOK,
    body: { url: 'https://example.com/', events: ['everything'] },
    status: 400,
    at: '/events/0',
  },
  {
    title: 'an unknown format',
    route: HOOK,
    body: { ...at('https://example.com/'), format: 'xml' },
    status: 400,
    at: '/format',
  },
  {
    title: 'a secret of its own',
    route: HOOK,
    body: { ...at('https://example.com/'), secret: 'whsec_x' },
    status: 400,
    kind: 'unknown-field',
  },
  { title: 'a URL of 3,000 characters', route: HOOK, body: at(`https://e.com/${'x'.repeat(3000)}`), status: 400 },
  {
    title: 'a list of webhooks sorted by name',
    route: 'GET /api/v1/projects/{project}/webhooks?sort=name',
    status: 400,
  },
  {
    title: 'an unknown webhook',
    route: 'POST /api/v1/projects/{project}/webhooks/{project}/test',
    status: 404,
  },
  {
    title: 'a missing message',
    route: 'POST /api/v1/projects/{project}/webhooks/{webhook}/deliveries/{webhook}/redeliver',
    status: 404,
  },
]

/** What concerns other systems: signing keys and webhooks. */
export const INTEGRATIONS: readonly (readonly [string, readonly BadRequest[]])[] = [
  ['a signing key', signingKeys],
  ['a webhook', webhooks],
]
