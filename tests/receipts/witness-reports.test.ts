import { ReceiptLog } from '@engine/receipts'
import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES_OF_API, useDatabase } from '../platform/databases.testing.ts'
import { addEngine, engineNamed, startTeam, type Team } from '../platform/engines.testing.ts'
import { startPlatform, type TestPlatform } from '../platform/platform.testing.ts'
import { testKey } from './chains.testing.ts'

/* The platform as a witness: reports of played engines, and the checkpoints and faults that are kept of them. */

const KEY = testKey('witness').privateKey

/** A chain, as an engine with this id has it, which grows by checkpoints. */
function newChain(id = 'eu-1', instance = `${id}/${randomUUIDv7()}`) {
  const log = new ReceiptLog({ instance, engine: '1.0.0', privateKey: KEY })
  let time = 1000
  return {
    instance,
    uuid: instance.slice(instance.indexOf('/') + 1),
    /** The next checkpoint, for so many entries. */
    signed(entries = 1) {
      for (let count = 0; count < entries; count++) log.addLost(1)
      const { checkpoint, signature } = log.checkpoint(++time) ?? { checkpoint: '', signature: '' }
      return { checkpoint, signature }
    },
    /** The same chain with other contents. */
    rewritten: () => newChain(id, instance),
  }
}

type Chain = ReturnType<typeof newChain>
type Signed = ReturnType<Chain['signed']> | null

const reported = ({ instance }: Chain, latest: Signed, more: object = {}) => ({
  instance,
  opening: 'first',
  opened: null,
  latest,
  continued: true,
  ...more,
})

describe.each(DATABASES_OF_API)('reports of receipts, on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--rate-limit', '0'])
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  async function newEngine() {
    const name = randomUUID()
    const { id, beat } = await addEngine(platform, await team.connectToken(), engineNamed(name))
    const path = `/api/v1/servers/${id}`
    const body = async (of: string) => (await team.owner.request('GET', of)).body
    const audited = async (action: string) =>
      (await body(`${team.O}/audit?action=${action}&limit=100`)).items.filter(
        (one: { object: { id: string } }) => one.object.id === id,
      )
    return {
      report: (chains: readonly object[], kept: readonly string[] = []) => beat({ receipts: { chains, kept } }),
      chains: async () => (await body(`${path}/receipts`)).chains,
      problems: async () => (await body(path)).problems,
      contradictions: async () =>
        (await audited('server.receipts_contradicted')).map(({ after }: { after: unknown }) => after),
      forgotten: () => audited('server.receipt_chain_forgotten'),
      forget: async (uuid: string) => (await team.owner.request('DELETE', `${path}/receipts/${uuid}`)).status,
    }
  }

  const short = (chains: readonly { instance: string; n: number; continued: boolean; state: string }[]) =>
    chains.map(({ instance, n, continued, state }) => [instance, n, continued, state])

  test('the highest checkpoint of each chain is kept, with its entries', async () => {
    const engine = await newEngine()
    const [one, other] = [newChain('eu-1.w1'), newChain('eu-1.w2')]
    const [first, second] = [one.signed(2), one.signed(3)]
    const single = other.signed()
    await engine.report([reported(one, first), reported(other, single)])
    await engine.report([reported(one, second), reported(other, single)])
    // Late, and of a heartbeat without chains.
    await engine.report([reported(one, first), reported(other, null)])
    await engine.report([])
    const chains = await engine.chains()
    expect(chains).toHaveLength(2)
    expect(chains).toContainEqual({
      instance: one.instance,
      n: 1,
      entries: 5,
      ...second,
      continued: true,
      state: 'consistent',
      contradicted_at: null,
      contradiction: null,
      reported_at: expect.any(String),
    })
    expect(chains).toContainEqual(expect.objectContaining({ instance: other.instance, n: 0, entries: 1, ...single }))
    expect([await engine.problems(), await engine.contradictions()]).toEqual([[], []])
  })

  test('a chain without a checkpoint is not kept', async () => {
    const engine = await newEngine()
    await engine.report([reported(newChain(), null)])
    expect(await engine.chains()).toEqual([])
  })

  test('the time of the report is that of the last one', async () => {
    const engine = await newEngine()
    const chain = newChain()
    const signed = chain.signed()
    await engine.report([reported(chain, signed)])
    const [before] = await engine.chains()
    await engine.report([reported(chain, signed)])
    const [after] = await engine.chains()
    expect(Date.parse(after.reported_at)).toBeGreaterThan(Date.parse(before.reported_at))
  })

  test('chains of one engine are those that it continues, then the latest reports', async () => {
    const engine = await newEngine()
    const chains = ['a', 'b', 'c', 'd'].map((id) => newChain(id))
    const [a, b, c, d] = chains as [Chain, Chain, Chain, Chain]
    await engine.report([reported(a, a.signed(), { continued: false })])
    await engine.report([reported(b, b.signed(), { continued: false })])
    await engine.report([reported(d, d.signed()), reported(c, c.signed())])
    expect((await engine.chains()).map(({ instance }: { instance: string }) => instance)).toEqual(
      [c, d, b, a].map(({ instance }) => instance),
    )
    // Another engine does not see them.
    expect(await (await newEngine()).chains()).toEqual([])
  })

  describe('a contradiction', () => {
    const shortened = (instance: string, n: number) =>
      `the log of receipts \`${instance}\` had reached checkpoint ${n} and is shorter now: its end was removed, or an old state was restored`
    const replaced = (instance: string, n: number) =>
      `the log of receipts \`${instance}\` contradicts its checkpoint ${n}: entries were replaced`

    test.each<[title: string, next: (chain: Chain, first: Signed) => object, fault: object, message: typeof shortened]>(
      [
        [
          'by a chain that is shorter at its opening',
          (chain, first) => reported(chain, first, { opening: 'second', opened: first }),
          { fault: 'rolled_back', kept: 1, found: 0 },
          shortened,
        ],
        [
          'by a chain that is empty at its opening',
          (chain) => reported(chain, null, { opening: 'second' }),
          { fault: 'rolled_back', kept: 1, found: null },
          shortened,
        ],
        [
          'by another checkpoint of the same number',
          (chain) => {
            const other = chain.rewritten()
            other.signed(5)
            return reported(chain, other.signed())
          },
          { fault: 'rewritten', kept: 1, found: 1 },
          replaced,
        ],
      ],
    )('%s is a problem and in the audit, and its evidence stays', async (_, next, fault, message) => {
      const engine = await newEngine()
      const chain = newChain()
      const [first, second] = [chain.signed(), chain.signed()]
      await engine.report([reported(chain, second)])
      const report = next(chain, first)
      await engine.report([report])
      const { instance } = chain
      const problem = {
        code: 'receipts_contradicted',
        instance,
        fault: Object.values(fault)[0],
        message: message(instance, 1),
      }
      expect(await engine.problems()).toEqual([problem])
      expect(await engine.contradictions()).toEqual([{ instance, ...fault }])
      const [kept] = await engine.chains()
      const { latest, opened } = report as { latest: Signed; opened: Signed }
      expect(kept).toMatchObject({
        ...second,
        n: 1,
        continued: true,
        contradiction: ('found' in fault && fault.found === 1 ? latest : opened)?.checkpoint ?? null,
        contradicted_at: expect.any(String),
      })
      // The kept checkpoint stays, whatever is reported later.
      await engine.report([reported(chain, chain.signed(), { opening: 'third', opened: first })])
      expect(await engine.chains()).toMatchObject([{ ...second, state: kept.state, contradiction: kept.contradiction }])
      expect(await engine.contradictions()).toHaveLength(1)
      expect(await engine.problems()).toEqual([problem])
    })

    test('of one chain leaves the others of the report as they are', async () => {
      const engine = await newEngine()
      const [one, other] = [newChain('eu-1.w1'), newChain('eu-1.w2')]
      await engine.report([reported(one, one.signed()), reported(other, other.signed())])
      await engine.report([reported(one, null, { opening: 'second' }), reported(other, other.signed())])
      expect(
        new Map(
          (await engine.chains()).map((chain: { instance: string; n: number; state: string }) => [
            chain.instance,
            [chain.n, chain.state],
          ]),
        ),
      ).toEqual(
        new Map([
          [one.instance, [0, 'rolled_back']],
          [other.instance, [1, 'consistent']],
        ]),
      )
    })

    test('is forgotten alone, with its checkpoint: the next report is believed', async () => {
      const engine = await newEngine()
      const [one, other] = [newChain('eu-1.w1'), newChain('eu-1.w2')]
      await engine.report([reported(one, one.signed()), reported(other, other.signed())])
      await engine.report([reported(one, null, { opening: 'second' }), reported(other, null, { opening: 'second' })])
      expect(await engine.problems()).toHaveLength(2)
      expect(await engine.forget(randomUUID())).toBe(404)
      expect(await engine.problems()).toHaveLength(2)
      expect(await engine.forget(one.uuid)).toBe(204)
      expect((await engine.problems()).map(({ instance }: { instance: string }) => instance)).toEqual([other.instance])
      expect(short(await engine.chains())).toEqual([[other.instance, 0, true, 'rolled_back']])
      expect(await engine.forgotten()).toMatchObject([{ before: { instance: one.instance, state: 'rolled_back' } }])
      expect(await engine.forget(other.uuid)).toBe(204)
      expect(await engine.problems()).toEqual([])
      const fresh = one.rewritten()
      await engine.report([reported(one, fresh.signed(4))])
      expect(short(await engine.chains())).toEqual([[one.instance, 0, true, 'consistent']])
    })
  })

  describe('a chain that is no longer reported', () => {
    test.each<[title: string, isKept: boolean, isContinued: boolean, id: string, expected: readonly unknown[]]>([
      ['is gone where another one has begun', false, true, 'eu-1', [false, 'missing']],
      ['is no fault where its folder is still there', true, true, 'eu-1', [false, 'consistent']],
      ['is no fault where another instance has begun one', false, true, 'eu-10', [true, 'consistent']],
      ['is no fault where none has begun', false, false, 'eu-1', [true, 'consistent']],
    ])('%s', async (_, isKept, isContinued, id, expected) => {
      const engine = await newEngine()
      const [old, next] = [newChain('eu-1'), newChain(id)]
      old.signed()
      await engine.report([reported(old, old.signed())])
      await engine.report([reported(next, next.signed(), { continued: isContinued })], isKept ? [old.instance] : [])
      const found = (await engine.chains()).find(({ instance }: { instance: string }) => instance === old.instance)
      expect([found.continued, found.state]).toEqual(expected)
      const isMissing = expected[1] === 'missing'
      const { instance } = old
      expect(await engine.problems()).toEqual(
        isMissing
          ? [
              {
                code: 'receipts_contradicted',
                instance,
                fault: 'missing',
                message: `the log of receipts \`${instance}\` is gone: it had reached checkpoint 1, and another log has begun`,
              },
            ]
          : [],
      )
      expect(await engine.contradictions()).toEqual(
        isMissing ? [{ instance, fault: 'missing', kept: 1, found: null }] : [],
      )
      // Once is enough.
      await engine.report([reported(next, next.signed())])
      expect(await engine.contradictions()).toHaveLength(isMissing || (!isKept && !isContinued) ? 1 : 0)
    })

    test('that was contradicted before is no second fault', async () => {
      const engine = await newEngine()
      const [old, next] = [newChain(), newChain()]
      await engine.report([reported(old, old.signed())])
      await engine.report([reported(old, null, { opening: 'second' })])
      await engine.report([reported(next, next.signed())])
      expect(short(await engine.chains())).toEqual([
        [next.instance, 0, true, 'consistent'],
        [old.instance, 0, false, 'rolled_back'],
      ])
      expect(await engine.contradictions()).toHaveLength(1)
    })
  })

  test('of chains that are not continued the 1,000 latest are kept, and every contradicted one', async () => {
    const engine = await newEngine()
    const faulty = newChain('faulty')
    await engine.report([reported(faulty, faulty.signed(), { continued: false })])
    await engine.report([reported(faulty, null, { opening: 'second', continued: false })])
    const [oldest, running] = [newChain('oldest'), newChain('running')]
    await engine.report([reported(oldest, oldest.signed(), { continued: false })])
    await engine.report([reported(running, running.signed())])
    const ended = () =>
      Array.from({ length: 500 }, () => newChain('ended')).map((one) =>
        reported(one, one.signed(), { continued: false }),
      )
    await engine.report(ended())
    expect(await engine.chains()).toHaveLength(503)
    await engine.report(ended())
    const chains: { instance: string }[] = await engine.chains()
    expect(chains).toHaveLength(1002)
    const left = new Set(chains.map(({ instance }) => instance))
    expect([faulty, running, oldest].map(({ instance }) => left.has(instance))).toEqual([true, true, false])
  })
})
