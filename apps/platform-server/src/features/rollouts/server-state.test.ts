import { describe, expect, test } from 'vitest'
import { type Reported, serverState } from './server-state.ts'

const NOW = new Date('2026-01-31T12:00:00Z')
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const [OLD, NEW] = ['0'.repeat(64), '1'.repeat(64)]
const WANTED = [{ name: 'fee', digest: NEW }]

/** An engine that was heard of a second ago and has the wanted ruleset. */
const SERVER = {
  tenants: false,
  current_rulesets: [{ name: 'fee', digest: NEW }],
  problems: [],
  applied_revision: 7,
  desired_revision: 7,
  last_heartbeat: ago(1),
  held_until: null,
  healthy: true,
} as unknown as Reported
const ROW = { environment_id: 'e', status: 'delivering', waiting_since: null } as const

const seen = (
  server: Partial<Record<keyof Reported, unknown>> | undefined,
  row: Partial<Parameters<typeof serverState>[0]> = {},
  wanted: Parameters<typeof serverState>[2] = WANTED,
) =>
  serverState({ ...ROW, ...row }, server && ({ ...SERVER, ...server } as Reported), wanted, {
    now: NOW,
    heartbeatMs: 10_000,
  })

const WITHOUT = { current_rulesets: [] }
const SILENT = { last_heartbeat: ago(31) }

describe('an engine is live', () => {
  test.each<[string, object | undefined, Parameters<typeof serverState>[2]]>([
    ['that has the content and is healthy', {}, WANTED],
    ['at the last moment of its health', { last_heartbeat: ago(30) }, WANTED],
    ['that is not bound any longer', undefined, WANTED],
    ['that owes nothing', WITHOUT, []],
    ['without the ruleset to remove', WITHOUT, [{ name: 'fee', digest: null }]],
    [
      'that has all of it',
      {
        current_rulesets: [
          { name: 'b', digest: OLD },
          { name: 'fee', digest: NEW },
        ],
      },
      [...WANTED, { name: 'b', digest: OLD }],
    ],
    [
      'whose tenant has the content',
      { tenants: true, current_rulesets: [{ tenant: 'e', name: 'fee', digest: NEW }] },
      WANTED,
    ],
    ['that had been waited for', {}, WANTED],
  ])('%s', (_, server, wanted) => {
    const live = { status: 'live', error: null, waiting_since: null }
    expect(seen(server, {}, wanted)).toEqual(live)
    expect(seen(server, { waiting_since: ago(59) }, wanted)).toEqual(live)
    expect(seen(server, { status: 'live' }, wanted)).toEqual(live)
  })
})

describe('an engine is not live', () => {
  test.each<[string, object, Parameters<typeof serverState>[2]]>([
    ['without the content', WITHOUT, WANTED],
    ['with another content', { current_rulesets: [{ name: 'fee', digest: OLD }] }, WANTED],
    ['with the ruleset to remove', {}, [{ name: 'fee', digest: null }]],
    ['with a part of it', {}, [...WANTED, { name: 'b', digest: OLD }]],
    ['where the content is of no tenant', { tenants: true }, WANTED],
    [
      'where another tenant has the content',
      { tenants: true, current_rulesets: [{ tenant: 'f', name: 'fee', digest: NEW }] },
      WANTED,
    ],
    [
      'where a tenant has the content that all share',
      { current_rulesets: [{ tenant: 'e', name: 'fee', digest: NEW }] },
      WANTED,
    ],
  ])('%s', (_, server, wanted) => {
    expect(seen(server, {}, wanted)).toEqual({ status: 'verifying', error: null, waiting_since: NOW })
    expect(seen({ ...server, applied_revision: 6 }, {}, wanted)).toMatchObject({ status: 'delivering' })
    expect(seen({ ...server, applied_revision: 8 }, {}, wanted)).toMatchObject({ status: 'verifying' })
  })
})

describe('an unhealthy engine that has the content', () => {
  test.each<[string, object]>([
    ['that is silent', SILENT],
    ['that reports it', { healthy: false }],
    ['that was never heard of', { last_heartbeat: null }],
  ])('%s keeps its state and is waited for', (_, server) => {
    expect(seen(server)).toEqual({ status: 'delivering', error: null, waiting_since: NOW })
    expect(seen(server, { status: 'live' })).toEqual({ status: 'live', error: null, waiting_since: NOW })
    const since = ago(59.999)
    expect(seen(server, { waiting_since: since })).toEqual({ status: 'delivering', error: null, waiting_since: since })
  })
})

describe('an engine fails', () => {
  test.each<[string, object, string]>([
    ['60 s after it owed something', WITHOUT, 'has not taken it within 60 s'],
    ['60 s after it became unhealthy', SILENT, 'has been unhealthy for 60 s'],
    ['60 s after it owed something and became unhealthy', { ...WITHOUT, ...SILENT }, 'has been unhealthy for 60 s'],
  ])('%s', (_, server, error) => {
    const since = ago(60)
    expect(seen(server, { waiting_since: since })).toEqual({ status: 'failed', error, waiting_since: since })
    expect(seen(server, { waiting_since: ago(59.999) }).status).not.toBe('failed')
  })

  const problem = { name: 'fee', digest: NEW, retried: false, message: 'no key' }
  test.each<[string, object, string]>([
    ['that refuses the content', { problems: [problem] }, 'refuses it: no key'],
    [
      'that refuses it without a reason',
      { problems: [{ ...problem, message: undefined }] },
      'refuses it: no reason is given',
    ],
    ['whose tenant refuses it', { tenants: true, problems: [{ ...problem, tenant: 'e' }] }, 'refuses it: no key'],
    [
      'that refuses one of several',
      { problems: [null, 'x', { ...problem, name: 'b' }, problem] },
      'refuses it: no key',
    ],
  ])('immediately %s', (_, server, error) => {
    expect(seen({ ...WITHOUT, ...server })).toEqual({ status: 'failed', error, waiting_since: null })
  })

  test.each<[string, object]>([
    ['tries again', { ...problem, retried: true }],
    ['does not say whether it tries again', { ...problem, retried: undefined }],
    ['refuses another content', { ...problem, digest: OLD }],
    ['refuses another ruleset', { ...problem, name: 'b' }],
    ['refuses it for a tenant', { ...problem, tenant: 'e' }],
  ])('but not one that %s', (_, one) => {
    expect(seen({ ...WITHOUT, problems: [one] }).status).toBe('verifying')
  })

  test('but not an engine with tenants, of which another tenant refuses it', () => {
    for (const tenant of ['f', undefined])
      expect(seen({ ...WITHOUT, tenants: true, problems: [{ ...problem, tenant }] }).status).toBe('verifying')
  })
})
