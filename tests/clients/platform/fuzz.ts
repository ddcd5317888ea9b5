import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from '../check.ts'
import { CommandFailed, run } from '../command.ts'
import { REQUEST_TIMEOUT } from '../fuzz.ts'
import { type Finding, findingsIn } from '../finding.ts'
import { pythonPrograms } from '../tools.ts'
import { type FilledPlatform, itemsAt, withFilledPlatform } from './filled-platform.ts'

/** `SEEDS=5`: the long form, with more time and examples for each seed. */
const SEEDS = Number(process.env['SEEDS'] ?? 1)
/** Seconds of the requests of one seed. */
const MAX_SECONDS = SEEDS > 1 ? 240 : 45
const EXAMPLES = SEEDS > 1 ? 30 : 5

/** Checks for 5xx answers, undocumented statuses, and types and bodies that differ from the description. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

/** Paths without generated requests; schemathesis takes one expression. */
const PATHS_LEFT_OUT = [
  // They would end the session or the key of the run.
  '/auth/',
  // Event streams do not end, and OpenAPI 3.1 has no schema for their events.
  '/events$',
  // YAML is described as text, and schemathesis compares the value of the text with the description.
  '/tests/export$',
]

const LEFT_OUT = [
  // It would remove the objects of later requests.
  '--exclude-method=DELETE',
  `--exclude-path-regex=${PATHS_LEFT_OUT.join('|')}`,
  // Its only body is of lines, which schemathesis cannot write.
  '--exclude-path=/api/v1/engine/{pid}/rulesets/{name}/replay',
]

/** Fills the parameters of paths with the ids of stored objects. */
class KnownIds {
  readonly #platform: FilledPlatform
  readonly #known = new Map<string, Promise<string | undefined>>()

  constructor(platform: FilledPlatform) {
    this.#platform = platform
  }

  /** The ids of a path by parameter, as far as there are any. */
  async of(path: string): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {}
    let real = ''
    for (const part of path.split('/').slice(1)) {
      const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
      if (name === undefined) {
        real += `/${part}`
        continue
      }
      const id = await this.#idIn(real, name)
      if (id === undefined) break
      found[name] = id
      real += `/${id}`
    }
    return found
  }

  /** The id of an item of a list: by the member of its parameter's name, else `id`. */
  #idIn(list: string, name: string): Promise<string | undefined> {
    const key = `${list} ${name}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = this.#find(list, name)
    this.#known.set(key, found)
    return found
  }

  async #find(list: string, name: string): Promise<string | undefined> {
    const { url, key } = this.#platform
    // `/api/v1/engine/{pid}` has no list of projects before it.
    const place = /\/api\/v1\/(?:engine|projects)$/.test(list) ? await this.#projects() : list
    const [first] = await itemsAt(`${url}${place}`, key)
    const id = first?.[name] ?? first?.['id']
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
  }

  async #projects(): Promise<string> {
    return `/api/v1/orgs/${(await this.#idIn('/api/v1/orgs', 'oid')) ?? ''}/projects`
  }
}

/** The configuration of schemathesis: the ids of each operation's path. Gives the number of ids. */
async function configure(platform: FilledPlatform, document: string): Promise<number> {
  const { paths } = JSON.parse(document) as { paths: Readonly<Record<string, object>> }
  const ids = new KnownIds(platform)
  let count = 0
  // The environment that the engine of the demonstration serves.
  const operations = ['[parameters]\n"header.x-environment" = "dev"\n']
  for (const path of Object.keys(paths)) {
    const known = Object.entries(await ids.of(path))
    count += known.length
    if (known.length === 0) continue
    const parameters = known.map(([name, id]) => `"path.${name}" = ${JSON.stringify(id)}`)
    operations.push(
      `[[operations]]\ninclude-path = ${JSON.stringify(path)}\nparameters = { ${parameters.join(', ')} }\n`,
    )
  }
  writeFileSync(join(platform.folder, 'schemathesis.toml'), operations.join('\n'))
  return count
}

/** Runs schemathesis with a seed; throws with its findings. Gives the number of its requests. */
async function fuzz({ url, key, folder }: FilledPlatform, seed: number): Promise<number> {
  const report = join(folder, `report-${seed}.json`)
  const events = join(folder, `events-${seed}.ndjson`)
  const target = [`${url}/api/v1/openapi.json`, `--header=Authorization: Bearer ${key}`]
  const generation = ['--phases=examples,fuzzing', `--max-examples=${EXAMPLES}`, `--seed=${seed}`, '--no-shrink']
  const bounds = [`--max-time=${MAX_SECONDS}`, REQUEST_TIMEOUT, '--suppress-health-check=all', '--continue-on-failure']
  const reports = [`--report-json-path=${report}`, `--report-ndjson-path=${events}`]
  const args = ['run', ...target, `--checks=${CHECKS.join(',')}`, ...LEFT_OUT, ...generation, ...bounds, ...reports]
  const output = await run(join(await pythonPrograms(), 'schemathesis'), args, { cwd: folder }).catch(
    (error: unknown) => {
      // Any finding ends it with another code than 0.
      if (error instanceof CommandFailed) return error.output
      throw error
    },
  )
  const { test_cases: cases } = JSON.parse(readFileSync(report, 'utf8')) as { test_cases: { generated: number } }
  const findings = await findingsIn(events)
  assert(findings.length === 0, `seed ${seed}: ${findings.map(shown).join('\n')}\n${output}`)
  return cases.generated
}

function shown({ type, operation, status, message, url, sent, answer }: Finding): string {
  return `${type}: ${operation}: ${message}\n  sent ${url} ${JSON.stringify(sent)}\n  answered ${status} ${JSON.stringify(answer)}`
}

/** Requests of schemathesis to a platform that holds what their ids name. */
export const PLATFORM_FUZZ: Check = {
  name: 'platform: schemathesis',
  run: () =>
    withFilledPlatform(async (platform) => {
      const document = await (await fetch(`${platform.url}/api/v1/openapi.json`)).text()
      const ids = await configure(platform, document)
      let requests = 0
      for (let seed = 1; seed <= SEEDS; seed++) requests += await fuzz(platform, seed)
      const defects = platform.log().filter((line) => line.includes('"level":"error"'))
      assert.deepEqual(defects, [], 'the platform logged errors')
      return `${requests} requests with ${ids} real ids, seeds 1 to ${SEEDS}; findings: none`
    }),
}
