import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'
import { newCanaryProject } from './canary.testing.ts'
import { newReviewedProject } from './reviewed.testing.ts'
import { type Snapshot, snapshotsIn } from './snapshots.testing.ts'

const FOLDER = join(import.meta.dirname, '../../docs/platform/studio')
const DIFFERING = join(tmpdir(), 'studio-snapshots')
/**
 * `write` creates the pictures again, `check` compares them. Fonts are smoothed differently on other machines, so this is not
 * part of the tests.
 */
const MODE = process.env['STUDIO_SNAPSHOTS']
/** The names of the only pictures, separated by commas; by default all. */
const ONLY = process.env['STUDIO_SNAPSHOT']
/** The part of the pixels that may differ. */
const TOLERANCE = 0.002

/** The state of the screen in a picture. */
interface State {
  readonly name: string
  /** Below the address of the project; of the server where it begins with `/`. */
  readonly path: string
  readonly act?: (page: Page) => Promise<unknown>
  /** It is the release of the reviewed project, or of the one with a canary. */
  readonly release?: 'reviewed' | 'canary'
}

const EDITOR = 'rulesets/ecommerce_coupon'
const ready = (page: Page) => page.getByText('11/11 tests').waitFor()
const executed = async (page: Page) => {
  await ready(page)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
}

const STATES: readonly State[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'rulesets', path: 'rulesets', act: (page) => page.getByRole('link', { name: 'ecommerce_coupon' }).waitFor() },
  { name: 'flow', path: EDITOR, act: ready },
  { name: 'flow-executed', path: EDITOR, act: executed },
  { name: 'table', path: `${EDITOR}?view=table`, act: ready },
  { name: 'table-executed', path: `${EDITOR}?view=table`, act: executed },
  { name: 'text', path: `${EDITOR}?view=text`, act: ready },
  {
    name: 'palette',
    path: EDITOR,
    async act(page) {
      await ready(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'keys',
    path: 'rulesets',
    async act(page) {
      await page.getByRole('link', { name: 'ecommerce_coupon' }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'history', path: `${EDITOR}/history`, act: (page) => page.locator('.changed').first().waitFor() },
  { name: 'compare-flow', path: `${EDITOR}/compare`, act: (page) => page.locator('.nd[data-change]').nth(1).waitFor() },
  { name: 'compare-table', path: `${EDITOR}/compare?view=table`, act: (page) => page.locator('.gc').nth(20).waitFor() },
  { name: 'large-flow', path: 'rulesets/large', act: (page) => page.locator('.overview').waitFor() },
  { name: 'tests', path: 'tests' },
  { name: 'release-new', path: 'releases/new?ruleset=ecommerce_coupon', act: previewed },
  { name: 'review', path: '', release: 'reviewed', act: (page) => page.locator('.transitions').waitFor() },
  {
    name: 'rollout',
    path: '/rollout',
    release: 'canary',
    act: (page) => page.locator('.tile .figure').nth(1).waitFor(),
  },
  { name: 'contract', path: 'contracts/ecommerce_coupon', act: (page) => page.locator('h1').waitFor() },
  { name: 'facts', path: 'facts' },
  { name: 'integrate', path: 'integrate', act: (page) => page.locator('pre').first().waitFor() },
  { name: 'settings', path: 'settings' },
  // Last: the browser keeps the unsaved change, and offers it at the next visit.
  {
    name: 'problem',
    path: EDITOR,
    async act(page) {
      await ready(page)
      await page.getByRole('textbox', { name: 'Condition of branch 3' }).fill('cart_amount < ')
      await page.locator('.xp-problem').waitFor()
      await page.getByRole('tab', { name: /[1-9] problem/ }).click()
    },
  },
]

async function previewed(page: Page): Promise<void> {
  await page.getByLabel('Title').fill('Coupons for the summer')
  await page.getByRole('checkbox', { name: /^prod/ }).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Request the release to prod' }).waitFor()
}

/** A second save, a release that waits for an approval, and a ruleset of 200 steps. */
async function furnished(project: StudioProject): Promise<void> {
  const { team, path } = project
  const own = `${path}/rulesets/ecommerce_coupon`
  const { status, body: draft, text } = await team.owner.request('GET', own)
  expect(status, text).toBe(200)
  const saved = await team.owner.request('POST', own, { ruleset: revised(draft.ruleset), expected_seq: 1 })
  expect(saved.status, saved.text).toBe(200)
  const rulesets = [{ name: 'ecommerce_coupon', from_seq: 1 }]
  await made(
    team.owner.request('POST', `${path}/releases`, {
      title: 'Coupons for the spring',
      rulesets,
      environments: ['prod'],
    }),
  )
  const large = await team.owner.request('POST', `${path}/rulesets/large`, { ruleset: chain(200), expected_seq: 0 })
  expect(large.status, large.text).toBeLessThan(300)
}

interface Drafted {
  readonly steps: readonly {
    readonly id: string
    readonly type: string
    readonly name?: string
    readonly rows?: readonly object[]
  }[]
}

/** Another name, a row with a note and a new row: the saved tests go as before. */
function revised({ steps, ...rest }: Drafted): object {
  const [first = {}, ...others] = steps.find(({ type }) => type === 'table')?.rows ?? []
  const rows = [
    { ...first, note: 'Checked with the shop' },
    ...others,
    { ...others.at(-1), id: 'r-new', note: 'Never reached' },
  ]
  const changed = steps.map((step) => {
    if (step.type === 'table') return { ...step, rows }
    return step.type === 'sub_rule' ? { ...step, name: 'Customer class' } : step
  })
  return { ...rest, steps: changed }
}

/** Decisions in rows of ten, of which each leads to two of the next row. */
function chain(count: number): object {
  const to = (index: number) => (index < count ? `s${index}` : `end${index % 5}`)
  const decisions = Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    name: `Check ${index + 1}`,
    type: 'decision',
    branches: [{ id: 'a', condition: `amount > ${index * 10}`, nextStepId: to(index + 10) }],
    defaultNextStepId: to(index - (index % 10) + 10 + ((index + 1) % 10)),
  }))
  const ends = Array.from({ length: 5 }, (_, index) => ({ id: `end${index}`, type: 'terminal', code: `CODE_${index}` }))
  return { config: { name: 'large', version: '1.0.0' }, startStepId: 's0', steps: [...decisions, ...ends] }
}

describe.skipIf(MODE === undefined || CHROMIUM === undefined)('pictures of the studio', () => {
  const studio = useStudio()

  test('of key states in both themes match the stored ones', async () => {
    const project = await newProject(studio.platform())
    await furnished(project)
    const releases = {
      reviewed: await newReviewedProject(studio.platform()),
      canary: await newCanaryProject(studio.platform()),
    }
    onTestFinished(async () => {
      for (const one of Object.values(releases)) await one.stop()
    })
    const states = STATES.filter(({ name }) => ONLY === undefined || ONLY.split(',').includes(name))
    const addressOf = ({ path, release }: State) => {
      if (release !== undefined) return `${releases[release].project.url}/releases/${releases[release].release}${path}`
      return path.startsWith('/') ? studio.platform().publicUrl + path : `${project.url}/${path}`
    }
    const picture = snapshotsIn(FOLDER, MODE === 'check' ? 'check' : 'write', DIFFERING)
    const found: Snapshot[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await studio.open(project.team.owner, { colorScheme })
      await page.setViewportSize({ width: 1280, height: 800 })
      const stranger = await studio.openStranger()
      await stranger.emulateMedia({ colorScheme })
      await stranger.setViewportSize({ width: 1280, height: 800 })
      const readers = {
        reviewed: await studio.open(releases.reviewed.project.team.owner, { colorScheme }),
        canary: await studio.open(releases.canary.project.team.owner, { colorScheme }),
      }
      for (const reader of Object.values(readers)) await reader.setViewportSize({ width: 1280, height: 1000 })
      for (const state of states) {
        const { name, act, release } = state
        const shown = name === 'sign-in' ? stranger : release === undefined ? page : readers[release]
        await shown.goto(addressOf(state))
        await shown.locator('h1, h2').first().waitFor()
        await act?.(shown)
        found.push(await picture(shown, `${name}-${colorScheme}`))
      }
    }
    expect(found).toHaveLength(states.length * 2)
    const differing = found.filter(({ difference }) => difference > TOLERANCE)
    expect(differing, `as they are now: ${DIFFERING}`).toEqual([])
  }, 1_200_000)
})
