import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { casesOf } from '../cases.testing.ts'
import { DATABASES, useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const CLIENTS = 20
/** Each client that loses tries again: the requests grow with the square of the clients times this. */
const SAVES_EACH = Math.max(1, casesOf(2))

describe.each(DATABASES)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database())
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  const ask = (name: string, expected_seq: number, points: number) =>
    team.owner.request('POST', `${team.P}/rulesets/${name}`, { ruleset: grading(name, points), expected_seq })

  test(`of ${CLIENTS} clients that create one draft, one wins`, async () => {
    const name = newName()
    const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, points) => ask(name, 0, points)))
    const winners = answers.flatMap(({ status }, points) => (status === 201 ? [points] : []))
    expect(winners.length).toBe(1)
    const rest = answers.filter(({ status }) => status !== 201)
    for (const { status, body } of rest)
      expect([status, body.code, body.current.ruleset]).toEqual([409, 'CONFLICT', grading(name, winners[0])])
  })

  test(`${CLIENTS} clients that save one draft lose no save, and one wins each number`, async () => {
    const name = newName()
    await ask(name, 0, 0)
    const won = new Map<number, number>()
    let refusals = 0
    const client = async (id: number) => {
      let expected = 1
      for (let done = 0; done < SAVES_EACH;) {
        const points = id * 1000 + done
        const { status, body } = await ask(name, expected, points)
        if (status === 200) {
          expect(won.has(body.seq)).toBe(false)
          won.set(body.seq, points)
          expected = body.seq
          done++
        } else {
          expect([status, body.details[0].code]).toEqual([409, 'stale'])
          expect(body.current.seq).toBeGreaterThan(expected)
          expected = body.current.seq
          refusals++
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, id) => client(id)))
    const numbers = Array.from({ length: CLIENTS * SAVES_EACH }, (_, index) => index + 2)
    expect([...won.keys()].toSorted((left, right) => left - right)).toEqual(numbers)
    expect(refusals).toBeGreaterThan(0)
    for (const [seq, points] of won) {
      const { body } = await team.owner.request('GET', `${team.P}/rulesets/${name}/saves/${seq}`)
      expect(body.ruleset).toEqual(grading(name, points))
    }
  })
})
