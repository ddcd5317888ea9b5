import { jsonValue, type ObjectValue } from '@engine/expression'
import { keyId } from '@engine/receipts'
import { generateKeys, parsePublicKey } from '@engine/signing'
import { describe, expect, test } from 'vitest'
import type { AuditRecord } from '../../database/audit.ts'
import type { Scope } from '../../database/scope.ts'
import { receiptKeysOf, registerReceiptKeys } from './receipt-keys.ts'
import type { AtServer } from './servers.ts'

/* Which public keys of a heartbeat are registered, and what becomes of those that were. */

const SERVER = { id: 'server-1', name: 'one' }

/** The table of engines, as far as keys need it. */
function engines(stored: unknown = null) {
  const rows = new Map<string, unknown>([
    [SERVER.id, stored],
    ['server-2', null],
  ])
  let writes = 0
  const requireNames = (...names: readonly string[]) => expect(names).toEqual(['servers', 'id', '='])
  const scope = {
    read: (table: string) => ({
      selectFrom: (name: string) => ({
        select: (column: string) => ({
          where: (...[where, operator, id]: readonly [string, string, string]) => ({
            async executeTakeFirst() {
              requireNames(name, where, operator)
              expect([table, column]).toEqual(['servers', 'receipt_keys'])
              return rows.has(id) ? { receipt_keys: rows.get(id) } : undefined
            },
          }),
        }),
      }),
    }),
    update: (table: string) => ({
      set: ({ receipt_keys: keys }: { receipt_keys: string }) => ({
        where: (...[where, operator, id]: readonly [string, string, string]) => ({
          async execute() {
            requireNames(table, where, operator)
            writes++
            rows.set(id, jsonValue(keys))
          },
        }),
      }),
    }),
  } as unknown as Scope
  const audited: AuditRecord[] = []
  return {
    audited,
    writes: () => writes,
    keys: (id = SERVER.id) => receiptKeysOf({ member: { scope }, server: { id } } as unknown as AtServer),
    report: (report: unknown) =>
      registerReceiptKeys({ scope, audit: async (record) => void audited.push(record) }, SERVER, report),
  }
}

function newKey(from = 5, until: number | null = null) {
  const { publicKey } = generateKeys()
  return { key: keyId(parsePublicKey(publicKey)), public_key: publicKey, from, until }
}
const [FIRST, SECOND] = [newKey(), newKey(7)]
const reporting = (...keys: readonly unknown[]) => ({ chains: [], kept: [], keys })

describe('a reported key', () => {
  test('is registered for its engine alone, once, and audited', async () => {
    const { report, keys, audited, writes } = engines()
    await report(reporting(FIRST, SECOND))
    await report(reporting(FIRST, SECOND))
    expect(await keys()).toEqual([FIRST, SECOND])
    expect(await keys('server-2')).toEqual([])
    expect(await keys('server-3')).toEqual([])
    expect(audited).toEqual(
      [FIRST, SECOND].map(({ key }) => ({ action: 'server.receipt_key_registered', object: SERVER, after: { key } })),
    )
    expect(writes()).toBe(1)
  })

  test.each<[title: string, one: unknown]>([
    ['null', null],
    ['a text', 'key'],
    ['a list', [FIRST]],
    ['an empty object', {}],
    ['a key without its id', { ...FIRST, key: undefined }],
    ['an id that is no text', { ...FIRST, key: 5 }],
    ['a key without its bytes', { key: FIRST.key }],
    ['the id of another key', { ...FIRST, key: SECOND.key }],
    ['a key of small order', { ...FIRST, key: '0'.repeat(16), public_key: Buffer.alloc(32).toString('base64') }],
    ['bytes that are no key', { ...FIRST, public_key: 'AAAA' }],
    ['a time span that ends before it begins', { ...FIRST, from: 9, until: 8 }],
    ['a time before 1970', { ...FIRST, from: -1 }],
    ['a time that is a text', { ...FIRST, until: '9' }],
  ])('is not %s; the others are registered', async (_, one) => {
    const { report, keys, audited } = engines()
    await report(reporting(one, SECOND))
    expect(await keys()).toEqual([SECOND])
    expect(audited).toHaveLength(1)
  })

  test.each<[title: string, report: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a list', [FIRST]],
    ['no keys', { chains: [], kept: [] }],
    ['an empty list', reporting()],
    ['more than 100', reporting(...Array.from({ length: 101 }, () => FIRST))],
    ['keys alone', { keys: [FIRST] }],
  ])('is not in a report of %s', async (_, report) => {
    const registered = engines()
    await registered.report(report)
    expect([await registered.keys(), registered.audited, registered.writes()]).toEqual([[], [], 0])
  })

  test('has the validity of its first report', async () => {
    const { report, keys } = engines()
    await report(reporting({ key: FIRST.key, public_key: FIRST.public_key }))
    expect(await keys()).toEqual([{ ...FIRST, from: 0 }])
    await report(reporting({ ...FIRST, from: 3 }))
    expect(await keys()).toEqual([{ ...FIRST, from: 0 }])
  })

  test('that was registered ends once', async () => {
    const { report, keys, audited, writes } = engines([FIRST, SECOND])
    await report(reporting({ ...FIRST, from: 6, until: 9 }))
    await report(reporting({ ...FIRST, until: 99 }, FIRST))
    expect(await keys()).toEqual([{ ...FIRST, until: 9 }, SECOND])
    expect([audited, writes()]).toEqual([[], 1])
  })
})

describe('the registered keys', () => {
  test.each([[null], ['text'], [{}]])('are none where the column has %j', async (stored) => {
    expect(await engines(stored).keys()).toEqual([])
  })

  test('are those that can be read', async () => {
    expect(await engines([FIRST, { ...SECOND, key: 'other' }]).keys()).toEqual([FIRST])
  })

  test('are 1,000: further ones are ignored, and the end of a registered one is added', async () => {
    const many = Array.from({ length: 999 }, () => newKey())
    const { report, keys, audited } = engines(many)
    await report(reporting(FIRST, SECOND, { ...many[0], until: 10 } satisfies ObjectValue))
    const registered = await keys()
    expect(registered).toHaveLength(1000)
    expect(registered.at(-1)).toEqual(FIRST)
    expect(registered[0]).toEqual({ ...many[0], until: 10 })
    expect(audited).toHaveLength(1)
  })
})
