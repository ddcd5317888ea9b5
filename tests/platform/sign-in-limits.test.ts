import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { countAttempt, forgetAttempts } from '../../apps/platform-server/src/features/identity/sign-in-attempts.ts'
import { newOneTimeToken, useOneTimeToken } from '../../apps/platform-server/src/features/identity/one-time-links.ts'
import { openSession, personOfSession } from '../../apps/platform-server/src/features/identity/sessions.ts'
import { useDatabase } from './databases.testing.ts'

const database = useDatabase('postgres')
const tables = () => database().unscoped.tables

const [MINUTE, HOUR] = [60_000, 3_600_000] as const
/** The database has a separate clock. */
const BEGIN = Date.now()
afterEach(() => void vi.useRealTimers())

/** Have the clock of the process show a time, in milliseconds from the beginning of the test. */
function setClock(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN + milliseconds })
}

async function newUser(): Promise<{ readonly id: string; readonly auth_epoch: number }> {
  const id = randomUUID()
  await tables()
    .insertInto('users')
    .values({ id, email: `${id}@example.com`, display_name: 'Ann', password_hash: null, last_login: null })
    .execute()
  return { id, auth_epoch: 0 }
}

describe('a one-time link', () => {
  test.each([
    ['together', 0, true],
    ['after a day, but for a second', 24 * HOUR - 1000, true],
    ['after a day', 24 * HOUR, false],
    ['after a week', 7 * 24 * HOUR, false],
  ])('%s', async (_, milliseconds, isGood) => {
    setClock(0)
    const { id } = await newUser()
    const token = await newOneTimeToken(tables(), id, 'sign-in')
    setClock(milliseconds)
    expect((await useOneTimeToken(tables(), token))?.userId).toBe(isGood ? id : undefined)
    // Used or expired, it is good for nothing.
    setClock(milliseconds)
    expect(await useOneTimeToken(tables(), token)).toBeUndefined()
  })
})

describe('a session', () => {
  const begun = async () => {
    setClock(0)
    const user = await newUser()
    return (await openSession(tables(), user, { address: '127.0.0.1', userAgent: undefined })).token
  }
  const isGood = async (token: string, milliseconds: number) => {
    setClock(milliseconds)
    return (await personOfSession(tables(), token)) !== undefined
  }

  test('that is not used ends after 12 hours', async () => {
    expect(await isGood(await begun(), 12 * HOUR - MINUTE)).toBe(true)
    expect(await isGood(await begun(), 12 * HOUR + 5 * MINUTE)).toBe(false)
  })

  test.each([
    ['every hour', HOUR],
    ['every eleven hours', 11 * HOUR],
  ])('in use %s lasts for a week, and no longer', async (_, interval) => {
    const token = await begun()
    const week = 7 * 24 * HOUR
    for (let at = interval; at < week; at += interval) expect(await isGood(token, at), `at ${at}`).toBe(true)
    expect(await isGood(token, week - 1000)).toBe(true)
    expect(await isGood(token, week)).toBe(false)
  })

  test.each([
    ['every half minute', MINUTE / 2],
    ['every minute', MINUTE],
  ])('in use %s is good for longer than an unused one', async (_, interval) => {
    const token = await begun()
    // A use is written when the last one that was written is more than a minute old.
    for (let at = 0; at <= 4 * MINUTE; at += interval) expect(await isGood(token, at)).toBe(true)
    expect(await isGood(token, 12 * HOUR + 2 * MINUTE)).toBe(true)
  })
})

describe('attempts to sign in', () => {
  const refused = async (subject: Parameters<typeof countAttempt>[1]) =>
    countAttempt(tables(), subject).then(
      () => undefined,
      (error: { retryAfterSeconds?: number }) => error,
    )
  const times = async (count: number, subject: Parameters<typeof countAttempt>[1]) => {
    for (let one = 0; one < count; one++) expect(await refused(subject)).toBeUndefined()
  }

  test.each([
    ['account', 10],
    ['device', 10],
    ['address', 100],
    ['reset', 5],
  ] as const)('of one %s are %d in 15 minutes', async (kind, most) => {
    setClock(0)
    const subject = `${kind}:${randomUUID()}` as const
    await times(most, subject)
    expect(await refused(subject)).toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 15 * 60 })
    expect(await refused(`${kind}:${randomUUID()}`)).toBeUndefined()
    setClock(15 * MINUTE - 1)
    expect(await refused(subject)).toMatchObject({ retryAfterSeconds: 1 })
    setClock(15 * MINUTE)
    expect(await refused(subject)).toBeUndefined()
  })

  test('start over after a successful one, which does not count against its address', async () => {
    setClock(0)
    const [account, address] = [`account:${randomUUID()}`, `address:${randomUUID()}`] as const
    await times(10, account)
    await times(100, address)
    await forgetAttempts(tables(), account, address)
    await times(10, account)
    await times(1, address)
    expect(await refused(address)).toBeDefined()
    expect(await refused(account)).toBeDefined()
  })
})
