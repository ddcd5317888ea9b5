import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { type Postgres, startPostgres } from '../../tests/postgres.testing.ts'
import { CHROMIUM } from '../../tests/studio/chromium.testing.ts'
import { median, table } from '../measure.ts'
import { type Place, prepared } from '../platform-place.ts'
import { type Running, startUnpinnedPlatform } from '../servers.ts'

/** Recorded decisions of the ruleset, and rounds of each measurement. */
const [RECORDED, FEW, ROUNDS] = [100_000, 1000, 7] as const
const NAME = 'delivery'
const COUNTRIES = ['DE', 'AT', 'FR', 'CH', 'NL', 'BE', 'IT', 'ES', 'PL', 'DK'] as const
/** Milliseconds after which a page counts as hanging. */
const MAX_INTERVAL_MS = 120_000

/**
 * The review of a release whose ruleset has 100,000 recorded decisions in PostgreSQL, and the same with 1,000: how long a request
 * of the release takes, which replays decisions, and how long the page takes until its verdict is painted.
 */
export async function review(): Promise<void> {
  const database = await startPostgres()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const stopping: (() => Promise<unknown>)[] = [() => database.stop()]
  try {
    const platform = await onPostgres(database, directory)
    stopping.unshift(platform.stop)
    const place = await prepared(platform, directory)
    await publish(place)
    await record(database, place, FEW)
    const few = await measured(place)
    await record(database, place, RECORDED - FEW)
    const many = await measured(place)
    table(
      ['what', 'seconds with 1,000', 'seconds with 100,000', 'ratio', 'budget, seconds'],
      Object.entries(many).map(([what, [seconds, budget]]) => {
        const before = few[what]?.[0] ?? Number.NaN
        return [what, before.toFixed(2), seconds.toFixed(2), (seconds / before).toFixed(2), budget]
      }),
    )
  } finally {
    for (const stop of stopping) await stop()
    rmSync(directory, { recursive: true })
  }
}

function onPostgres({ client: { host, port } }: Postgres, directory: string): Promise<Running> {
  const key = join(directory, 'secret-key')
  writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 })
  const url = `postgres://postgres@${host}:${port}/postgres`
  return startUnpinnedPlatform(directory, '--database-url', url, '--secret-key-file', key, '--rate-limit', '0')
}

/** 200 rows: each country by weight. The candidate has another price in every tenth row. */
const draft = (version: string, rise: number) => ({
  config: { name: NAME, version },
  startStepId: 'prices',
  steps: [
    {
      id: 'prices',
      name: 'Price by country and weight',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'country', kind: 'input', field: 'country', type: 'string' },
        { id: 'weight', kind: 'input', field: 'weight', type: 'number' },
        { id: 'price', kind: 'output', field: 'price', type: 'number', unit: 'EUR' },
      ],
      rows: COUNTRIES.flatMap((country, group) =>
        Array.from({ length: 20 }, (_, index) => ({
          id: `${country}${index}`,
          cells: {
            country: `"${country}"`,
            weight: `<= ${index + 1}`,
            price: String(5 + group + index + (index % 10 === 3 ? rise : 0)),
          },
        })),
      ),
      nextStepId: 'priced',
      defaultNextStepId: 'none',
    },
    { id: 'priced', type: 'terminal', code: 'PRICED', output: [{ name: 'price', value: '$price' }] },
    { id: 'none', type: 'terminal', code: 'NO_DELIVERY' },
  ],
})

async function publish({ ask, project }: Place): Promise<void> {
  const path = `/projects/${project}/rulesets/${NAME}`
  await ask('POST', path, { ruleset: draft('1.0.0', 0), expected_seq: 0 })
  await ask('POST', `${path}/publish`, { environment: 'dev' })
  await ask('POST', path, { ruleset: draft('1.1.0', 1), expected_seq: 1 })
}

/** Store decisions as the platform stores those that engines deliver: an hour of seconds each, the newest a minute old. */
async function record({ client }: Postgres, { org, project }: Place, count: number): Promise<void> {
  const { rows } = await client.query<{ readonly id: string }>(
    `select id from environments where project_id = $1 and name = 'dev'`,
    [project],
  )
  await client.query(
    `insert into recorded_decisions
       (org_id, id, project_id, environment_id, ruleset_name, digest, at, code, input, output, server_id, session, seq)
     select $1, gen_random_uuid(), $2, $3, $4, 'recorded', now() - interval '1 minute' - n * interval '6 seconds',
       case when n % 22 < 20 then 'PRICED' else 'NO_DELIVERY' end,
       json_build_object('country', ($5::text[])[1 + n % 10], 'weight', 0.5 + n % 22),
       json_build_object('price', 5 + n % 10 + n % 22), gen_random_uuid(), 'bench', n
     from generate_series(1, $6::integer) n`,
    [org, project, rows[0]?.id, NAME, COUNTRIES, count],
  )
  await client.query('analyze recorded_decisions')
}

type Figures = Readonly<Record<string, readonly [seconds: number, budget: string]>>

async function measured(place: Place): Promise<Figures> {
  const { ask, org, project } = place
  const releases: string[] = []
  const requested = await secondsOf(async () => {
    const { id } = await ask('POST', `/projects/${project}/releases`, {
      title: 'Other prices',
      rulesets: [{ name: NAME, from_seq: 2 }],
      environments: ['dev'],
    })
    releases.push(id)
  })
  const [release = ''] = releases
  const { impacts } = await ask('GET', `/projects/${project}/releases/${release}/impact`)
  if (!(impacts[0]?.records?.changed > 0)) throw new Error('the review counts no recorded decision that changes')
  const answered = await secondsOf(() => ask('GET', `/projects/${project}/releases/${release}/impact`))
  const address = `${place.origin}/o/${org}/p/${project}/releases/${release}`
  return {
    'request of the release, with its replay': [requested, ''],
    'answer of `impact`': [answered, ''],
    ...(CHROMIUM !== undefined && {
      'page, until its verdict is painted': [await painted(place, address, '.verdict'), '3'],
      'changes, until each row has its count': [
        await painted(place, `${address}?tab=changes`, '.changed-table [data-seen]'),
        '',
      ],
    }),
  }
}

/** Median of some rounds. */
async function secondsOf(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    await act()
    times.push((performance.now() - begun) / 1000)
  }
  return median(times)
}

/** Seconds from an address to an element, in a page whose files are in the cache of the browser. */
async function painted({ origin, cookie }: Place, address: string, selector: string): Promise<number> {
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
    const [name = '', value = ''] = cookie().split('=', 2)
    await context.addCookies([{ name, value, url: origin }])
    const page: Page = await context.newPage()
    page.setDefaultTimeout(MAX_INTERVAL_MS)
    const show = async () => {
      await page.goto('about:blank')
      await page.goto(address, { waitUntil: 'commit' })
      await page.locator(selector).first().waitFor()
    }
    await show()
    return await secondsOf(show)
  } finally {
    await browser.close()
  }
}
