import { expect } from 'vitest'
import type { TestPlatform } from '../platform/platform.testing.ts'
import { made } from '../platform/team.testing.ts'
import { newProject, type StudioProject } from './browser.testing.ts'
import { startEngine } from './engine.testing.ts'

/** The ruleset of the release that waits for a review. */
export const REVIEWED = 'shipping_costs'

interface Row {
  readonly id: string
  readonly cells: Readonly<Record<string, string>>
  readonly nextStepId?: string
}

const row = (id: string, country: string, weight: string, price: string, nextStepId?: string): Row => ({
  id,
  cells: { country: `"${country}"`, weight, price },
  ...(nextStepId !== undefined && { nextStepId }),
})

const ROWS = [
  row('light', 'DE', '<= 20', '4.9'),
  row('heavy', 'DE', '> 20', '0', 'request'),
  row('austria', 'AT', '<= 20', '6.9'),
]

/** Heavier parcels of Germany get a price, Austria pays more, France gets a price. */
const CHANGED_ROWS = [
  row('light', 'DE', '<= 30', '4.9'),
  row('heavy', 'DE', '> 30', '0', 'request'),
  row('austria', 'AT', '<= 20', '7.9'),
  row('france', 'FR', '<= 20', '9.9'),
]

const draft = (version: string, rows: readonly Row[]) => ({
  config: { name: REVIEWED, version, contract: REVIEWED },
  startStepId: 'prices',
  steps: [
    {
      id: 'prices',
      name: 'Price by country and weight',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'country', kind: 'input', field: 'country', label: 'Country', type: 'string' },
        { id: 'weight', kind: 'input', field: 'weight', label: 'Weight', type: 'number' },
        { id: 'price', kind: 'output', field: 'price', label: 'Price', type: 'number', unit: 'EUR' },
      ],
      rows,
      nextStepId: 'priced',
      defaultNextStepId: 'none',
    },
    {
      id: 'priced',
      name: 'Priced',
      type: 'terminal',
      code: 'PRICED',
      message: '"Delivery in three days"',
      output: [{ name: 'price', value: '$price' }],
    },
    { id: 'request', name: 'On request', type: 'terminal', code: 'ON_REQUEST' },
    { id: 'none', name: 'No delivery', type: 'terminal', code: 'NO_DELIVERY' },
  ],
})

const CONTRACT = {
  name: REVIEWED,
  version: '1.0.0',
  input: {
    fields: [
      { name: 'country', type: 'string', required: true },
      { name: 'weight', type: 'number', required: true, minimum: 0 },
    ],
  },
  outputs: [
    { code: 'PRICED', fields: [{ name: 'price', type: 'number' }] },
    { code: 'ON_REQUEST', fields: [] },
    { code: 'NO_DELIVERY', fields: [] },
  ],
}

/** Orders of a day: 20 of Germany, of which 6 are heavy, 8 of Austria, 4 of France. */
const ORDERS = [
  ...Array.from({ length: 20 }, (_, index) => ({ country: 'DE', weight: index < 14 ? 2 + index : 8 + index })),
  ...Array.from({ length: 8 }, (_, index) => ({ country: 'AT', weight: 1 + index })),
  ...Array.from({ length: 4 }, (_, index) => ({ country: 'FR', weight: 3 + index })),
]

/** A project in which version 1.0.0 is live in production, with recorded decisions, and version 1.1.0 waits for a review. */
export interface ReviewedProject {
  readonly project: StudioProject
  /** The release that waits. */
  readonly release: string
  /** Stops its engine. */
  readonly stop: () => Promise<unknown>
}

export async function newReviewedProject(platform: TestPlatform): Promise<ReviewedProject> {
  const project = await newProject(platform)
  const { team, path } = project
  const { engine } = await startEngine(platform, project, 'prod', '--sample-decisions', '100')
  const save = async (version: string, rows: readonly Row[], expected_seq: number) => {
    const body = { ruleset: draft(version, rows), expected_seq }
    const { status, text } = await team.owner.request('POST', `${path}/rulesets/${REVIEWED}`, body)
    expect(status, text).toBeLessThan(300)
  }
  const request = (title: string, from_seq: number, description: string) =>
    made(
      team.owner.request('POST', `${path}/releases`, {
        title,
        description,
        rulesets: [{ name: REVIEWED, from_seq }],
        environments: ['prod'],
      }),
    )
  await made(team.owner.request('POST', `${path}/contracts`, CONTRACT))
  await save('1.0.0', ROWS, 0)
  for (const [name, input, code] of [
    ['Light parcel in Germany', { country: 'DE', weight: 3 }, 'PRICED'],
    ['Nowhere', { country: 'XX', weight: 3 }, 'NO_DELIVERY'],
  ] as const)
    await made(team.owner.request('POST', `${path}/rulesets/${REVIEWED}/tests`, { name, input, expect: { code } }))
  const recording = { rate: 100, retention_days: 30, mask: [] }
  const set = await team.owner.request('PUT', `${path}/environments/prod/recording`, recording)
  expect(set.status, set.text).toBe(200)

  const first = await request('Shipping costs', 1, '')
  for (const act of ['approve', 'execute']) {
    const { status, text } = await team.owner.request('POST', `${path}/releases/${first.id}/${act}`, {})
    expect(status, text).toBeLessThan(300)
  }
  const statusOf = async () => (await team.owner.request('GET', `${path}/releases/${first.id}`)).body.status
  await expect.poll(statusOf, { timeout: 60_000 }).toBe('completed')
  await decideAll(project, platform)

  await save('1.1.0', CHANGED_ROWS, 1)
  const next = await request('Prices for heavier parcels', 2, 'As agreed with logistics: up to 30 kg, and France.')
  return { project, release: next.id, stop: () => engine.stop() }
}

/** Decides all orders by the proxy until they are recorded: an engine takes up the rate of recordings with a heartbeat. */
async function decideAll({ team, path, id }: StudioProject, platform: TestPlatform): Promise<void> {
  const recorded = async (): Promise<readonly string[]> => {
    const { body } = await team.owner.request('GET', `${path}/rulesets/${REVIEWED}/decisions?limit=200`)
    return body.items.map(({ code }: { readonly code: string }) => code)
  }
  const decide = async (input: object) => {
    const { status, text } = await team.owner.request(
      'POST',
      `/api/v1/engine/${id}/execute/${REVIEWED}`,
      { input },
      {
        'x-environment': 'prod',
      },
    )
    expect(status, `${platform.url} ${text}`).toBe(200)
  }
  await expect
    .poll(
      async () => {
        await decide(ORDERS[0] ?? {})
        return recorded()
      },
      { timeout: 60_000, interval: 500 },
    )
    .not.toEqual([])
  for (const input of ORDERS.slice(1)) await decide(input)
  // Engines send decisions in order: those of France are the last ones.
  const withoutDelivery = async () => (await recorded()).filter((code) => code === 'NO_DELIVERY').length
  await expect.poll(withoutDelivery, { timeout: 60_000 }).toBe(4)
}
