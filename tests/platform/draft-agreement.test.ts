import { stringifyJson, type Value } from '@engine/expression'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeDraft } from '../../packages/authoring/src/draft/decode.ts'
import { interpretDraft } from '../../packages/authoring/src/interpret.testing.ts'
import { randomDraft, randomInput } from '../../packages/authoring/src/random.testing.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team } from './team.testing.ts'

/**
 * A draft decides the same in a try-run of the platform, converted at an engine, and as the editor's format is described.
 * publish.test.ts checks that a published draft reaches an engine as converted.
 */
const DRAFTS = casesOf(100)
const INPUTS_EACH = 2
/** Drafts executed concurrently. */
const MAX_EVENTS_PER_READ = 2

const database = useDatabase('postgres')
let platform: TestPlatform
let engine: TestServer
let team: Team
let P: string
beforeAll(async () => {
  // On a busy machine threads take long to start: a limit only ends what hangs.
  platform = await startPlatform(database(), ['--rate-limit', '0', '--request-timeout-secs', '600'])
  engine = await startServer()
  team = await newTeam(platform)
  P = `${team.path}/projects/${(await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))).id}`
})
afterAll(async () => {
  await engine.stop()
  await platform.stop()
})

interface Generated {
  readonly name: string
  readonly ruleset: Value
  readonly inputs: readonly Value[]
}

/** The decision; all errors are equal, since the interpreter has no messages for them. */
function outcomeOf({ code, message, output }: Readonly<Record<'code' | 'message' | 'output', Value>>): string {
  return stringifyJson({ code, message, output })
}

function interpreted(ruleset: Value, input: Value): string {
  const { draft } = decodeDraft(ruleset)
  if (draft === undefined) throw new Error(`no draft: ${stringifyJson(ruleset)}`)
  try {
    return stringifyJson(interpretDraft(draft, input))
  } catch {
    return 'error'
  }
}

const ask = (path: string, body: Value): Promise<Answered> =>
  team.owner.request('POST', `${P}/rulesets/${path}`, stringifyJson(body))

/** The outcomes of one draft, by input: each of them found in three ways. */
async function outcomes({ name, ruleset, inputs }: Generated): Promise<readonly string[]> {
  const converted = await ask(`${name}/convert`, { ruleset })
  expect(converted.status, converted.text).toBe(200)
  const stored = await engine.post('/api/v1/rulesets', converted.body.ruleset)
  expect(stored.status).toBe(201)
  const found: string[] = []
  for (const input of inputs) {
    const tried = await ask(`${name}/trace`, { ruleset, input })
    expect(tried.status, tried.text).toBe(200)
    const executed = await engine.post(`/api/v1/execute/${name}`, { input })
    const three = {
      interpreter: interpreted(ruleset, input),
      platform: tried.body.code === null ? 'error' : outcomeOf(tried.body),
      engine: executed.status === 200 ? outcomeOf(executed.body) : 'error',
    }
    if (new Set(Object.values(three)).size > 1) throw new Error(stringifyJson({ ...three, input, ruleset }))
    found.push(three.engine)
  }
  await engine.request('DELETE', `/api/v1/rulesets/${name}`)
  return found
}

test(`${DRAFTS} random drafts`, async () => {
  printSeed(DRAFTS)
  const random = seededRandom(SEED)
  const seen = { decisions: 0, errors: 0 }
  for (let done = 0; done < DRAFTS; done += MAX_EVENTS_PER_READ) {
    const batch = Array.from({ length: Math.min(MAX_EVENTS_PER_READ, DRAFTS - done) }, (_, index): Generated => {
      const name = `random-${done + index}`
      const document = randomDraft(random) as { readonly config: { readonly [key: string]: Value } }
      const ruleset = { ...document, config: { ...document.config, name, version: '1.0.0' } }
      return { name, ruleset, inputs: Array.from({ length: INPUTS_EACH }, () => randomInput(random)) }
    })
    for (const outcome of (await Promise.all(batch.map(outcomes))).flat())
      seen[outcome === 'error' ? 'errors' : 'decisions']++
  }
  expect(seen.decisions + seen.errors).toBe(DRAFTS * INPUTS_EACH)
  expect(seen.decisions).toBeGreaterThan(0)
}, 3_600_000)
