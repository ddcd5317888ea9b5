import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SignedCheckpoint } from '../receipts/recovery.ts'
import { WitnessHook, type WitnessHookParts } from './witness-hook.ts'

/* Checkpoints on their way to a witness outside: the latest of each chain, until the witness has it. */

const head = (n: number, instance = 'eu-1/a'): SignedCheckpoint => ({
  instance,
  n,
  checkpoint: `checkpoint ${n}`,
  signature: 'signature',
})

/** A hook whose requests are answered by the test. */
function newHook(more: Partial<WitnessHookParts> = {}) {
  const sent: string[] = []
  const warnings: (readonly [text: string, fields: object])[] = []
  const counts = { failed: 0, delays: 0, resets: 0 }
  let answer: (n: number) => Promise<void> = async () => undefined
  const hook = new WitnessHook({
    url: 'http://witness.example.com',
    backoff: { next: () => (counts.delays++, 1), reset: () => void counts.resets++ },
    log: { info: () => undefined, warn: (fields: object, line: string) => void warnings.push([line, fields]) },
    failed: () => void counts.failed++,
    minIntervalMs: 1,
    send: async ({ instance, n }) => {
      sent.push(`${instance}#${n}`)
      await answer(n)
    },
    ...more,
  })
  return { hook, sent, warnings, counts, answering: (next: typeof answer) => void (answer = next) }
}

const refusing = async () => Promise.reject(new Error('it answered 503'))
const SOON = { timeout: 10_000, interval: 2 }

describe('a checkpoint', () => {
  test('is sent at once, and once', async () => {
    const { hook, sent, counts } = newHook()
    hook.written(head(0))
    await expect.poll(() => counts.resets, SOON).toBe(1)
    await hook.close(1000)
    expect(sent).toEqual(['eu-1/a#0'])
    expect(counts).toEqual({ failed: 0, delays: 0, resets: 1 })
  })

  test('that is followed by another one during its request is followed by the latest alone', async () => {
    const { hook, sent, answering } = newHook()
    const held = Promise.withResolvers<void>()
    answering(async (n) => (n === 0 ? held.promise : undefined))
    hook.written(head(0))
    await expect.poll(() => sent, SOON).toEqual(['eu-1/a#0'])
    for (const n of [1, 2, 3]) hook.written(head(n))
    held.resolve()
    await expect.poll(() => sent, SOON).toEqual(['eu-1/a#0', 'eu-1/a#3'])
    await hook.close(1000)
    expect(sent).toHaveLength(2)
  })

  test('is the latest of its own chain', async () => {
    const { hook, sent } = newHook()
    for (const one of [head(0), head(5, 'eu-1.w2/b'), head(1)]) hook.written(one)
    await expect.poll(() => sent.length, SOON).toBe(3)
    await hook.close(1000)
    expect(sent).toEqual(['eu-1/a#0', 'eu-1/a#1', 'eu-1.w2/b#5'])
  })

  test('waits for the interval after the one before', async () => {
    const { hook, sent } = newHook({ minIntervalMs: 300 })
    hook.written(head(0))
    await expect.poll(() => sent.length, SOON).toBe(1)
    const begun = performance.now()
    hook.written(head(1))
    await expect.poll(() => sent.length, SOON).toBe(2)
    expect(performance.now() - begun).toBeGreaterThan(200)
    await hook.close(1000)
  })

  test('that is refused is sent again, with the pauses of the backoff; the first failure is in the log', async () => {
    const { hook, sent, counts, warnings, answering } = newHook()
    answering(refusing)
    hook.written(head(0))
    await expect.poll(() => counts.delays, SOON).toBeGreaterThan(2)
    expect(counts).toEqual({ failed: counts.delays, delays: counts.delays, resets: 0 })
    answering(async () => undefined)
    await expect.poll(() => counts.resets, SOON).toBe(1)
    await hook.close(1000)
    expect(new Set(sent)).toEqual(new Set(['eu-1/a#0']))
    const line = 'the witness of receipts cannot be reached, and is tried again (--receipts-hook)'
    expect(warnings).toEqual([[line, { reason: 'it answered 503', times: 1 }]])
  })

  test.each([
    ['the backoff', 1, 300],
    ['the interval', 300, 1],
  ])('that is refused waits for the longer pause: %s', async (_, minIntervalMs, delayMs) => {
    const backoff = { next: () => delayMs, reset: () => undefined }
    const { hook, sent, answering } = newHook({ minIntervalMs, backoff })
    answering(refusing)
    hook.written(head(0))
    await expect.poll(() => sent.length, SOON).toBe(1)
    const begun = performance.now()
    await expect.poll(() => sent.length, SOON).toBe(2)
    expect(performance.now() - begun).toBeGreaterThan(200)
    answering(async () => undefined)
    await hook.close(1000)
  })

  test('that fails for one chain alone delays the next round', async () => {
    const { hook, counts, answering } = newHook()
    answering(async (n) => (n === 0 ? refusing() : undefined))
    hook.written(head(0))
    hook.written(head(5, 'eu-1.w2/b'))
    await expect.poll(() => counts.delays, SOON).toBeGreaterThan(2)
    expect(counts.resets).toBe(0)
    await hook.close(1000)
  })
})

describe('the end', () => {
  test('sends what is pending once more, and does not wait for the interval', async () => {
    const { hook, sent, counts } = newHook({ minIntervalMs: 60_000 })
    hook.written(head(0))
    await expect.poll(() => counts.resets, SOON).toBe(1)
    hook.written(head(1))
    const begun = performance.now()
    await hook.close(5000)
    expect(performance.now() - begun).toBeLessThan(4000)
    expect(sent).toEqual(['eu-1/a#0', 'eu-1/a#1'])
  })

  test('sends a checkpoint that was written by it', async () => {
    const { hook, sent } = newHook()
    const closed = hook.close(1000)
    hook.written(head(0))
    await closed
    expect(sent).toEqual(['eu-1/a#0'])
    hook.written(head(1))
    await after(20)
    expect(sent).toEqual(['eu-1/a#0'])
  })

  test('says what the witness does not have', async () => {
    const { hook, warnings, answering } = newHook()
    answering(refusing)
    hook.written(head(0))
    hook.written(head(5, 'eu-1.w2/b'))
    await hook.close(1000)
    expect(warnings.at(-1)).toEqual(['the witness of receipts does not have the latest checkpoint', { unsent: 2 }])
  })

  test('ends a request whose witness does not answer: that is no failure of the witness', async () => {
    const seen: AbortSignal[] = []
    const { hook, counts } = newHook({
      send: async (_head, signal) => {
        seen.push(signal)
        if (seen.length > 1) return
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    hook.written(head(0))
    await expect.poll(() => seen.length, SOON).toBe(1)
    await hook.close(5000)
    expect([seen.length, seen[0]?.aborted, counts.failed]).toEqual([2, true, 0])
  })
})

describe('a witness over HTTP', () => {
  test.each([
    [200, true],
    [204, true],
    [299, true],
    [302, false],
    [400, false],
    [503, false],
  ])('has a checkpoint where it answers %i: %s', async (status, hasIt) => {
    const requests: { method: string | undefined; type: string | undefined; body: string }[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        requests.push({ method: request.method, type: request.headers['content-type'], body })
        response.writeHead(status, { location: '/elsewhere' }).end()
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await expect.poll(() => server.listening, SOON).toBe(true)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { hook, counts, warnings } = newHook({ url, send: undefined })
    hook.written(head(3))
    await expect.poll(() => counts.resets + counts.failed, SOON).toBeGreaterThan(0)
    expect([counts.resets > 0, counts.failed > 0]).toEqual([hasIt, !hasIt])
    await hook.close(1000)
    expect(requests[0]).toEqual({ method: 'POST', type: 'application/json', body: JSON.stringify(head(3)) })
    if (!hasIt) expect(warnings[0]?.[1]).toMatchObject({ reason: `it answered ${status}` })
  })
})
