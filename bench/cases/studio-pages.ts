import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { bareCanvas } from '../../apps/studio/build/bare-canvas.ts'
import { CHROMIUM } from '../../tests/studio/chromium.testing.ts'
import { table } from '../measure.ts'
import { type Place, prepared } from '../platform-place.ts'
import { startUnpinnedPlatform } from '../servers.ts'
import { graph, wideTable } from '../studio-rulesets.ts'

/** Frames of a motion, and keys of one measurement. */
const [FRAMES, KEYS] = [180, 40] as const
/** Milliseconds after which a page counts as hanging. */
const MAX_INTERVAL_MS = 120_000

type Row = readonly [what: string, figure: number, budget: string]

/**
 * Large rulesets in the studio of a real platform. Times are those of the wall; processor time is that of the main thread of
 * the page, which other work on the machine lengthens less.
 */
export async function pages(): Promise<void> {
  if (CHROMIUM === undefined) return
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const platform = await startUnpinnedPlatform(directory)
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const place = await prepared(platform, directory)
    await keep(place, 'graph', graph(1000))
    await keep(place, 'wide', wideTable(10_000, 40))
    table(['what', 'figure', 'budget'], [...(await canvasRows(browser, place)), ...(await tableRows(browser, place))])
  } finally {
    await browser.close()
    await platform.stop()
    rmSync(directory, { recursive: true })
  }
}

const keep = ({ ask, org, project }: Place, name: string, ruleset: object) =>
  ask('POST', `/orgs/${org}/projects/${project}/rulesets/${name}`, { ruleset, expected_seq: 0 })

async function canvasRows(browser: Browser, place: Place): Promise<readonly Row[]> {
  const bare = await bareMotion(browser)
  const page = await opened(browser, place)
  const opening = await opens(page, '.nd', () => page.goto(addressOf(place, 'graph')))
  await isChecked(page)
  const near = await motion(browser, page, PAN)
  await page.getByRole('button', { name: 'Fit to view' }).click()
  const far = await motion(browser, page, PAN)
  await page.getByRole('button', { name: 'Full size' }).or(page.locator('.zoom .tnum')).first().click()
  const typing = await keys(page, '.details .cm-content', 'a')
  await page.context().close()
  return [
    ['1,000 steps: first paint, ms', opening, '1500'],
    ['1,000 steps: pan near, frames a second', near.fps, '50'],
    ['1,000 steps: pan near, main thread ms a frame', near.cpu, '10'],
    ['1,000 steps: pan far, frames a second', far.fps, '50'],
    ['1,000 steps: pan far, main thread ms a frame', far.cpu, '8'],
    ['canvas library alone, 1,000 plain nodes: pan near, frames a second', bare.fps, ''],
    ['canvas library alone, 1,000 plain nodes: pan near, main thread ms a frame', bare.cpu, ''],
    ['1,000 steps: pan near, main thread, times that of the library alone', near.cpu / bare.cpu, ''],
    ['1,000 steps: key to paint p95, ms', typing, '50'],
  ]
}

/** The same motion with nothing but the canvas library and plain nodes, in the same browser. */
async function bareMotion(browser: Browser): Promise<{ fps: number; cpu: number }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(MAX_INTERVAL_MS)
  await page.setContent(await bareCanvas())
  await page.locator('.react-flow__node').first().waitFor()
  const found = await motion(browser, page, PAN)
  await page.close()
  return found
}

/** The checks after opening are finished: they would use another core during the measurement. */
const isChecked = (page: Page) =>
  page
    .getByText('No problems')
    .or(page.getByText(/problem/))
    .first()
    .waitFor()

async function tableRows(browser: Browser, place: Place): Promise<readonly Row[]> {
  // A new page has an empty cache.
  const first = await opened(browser, place)
  const opening = await opens(first, CELL, () => first.goto(`${addressOf(place, 'wide')}?view=table`))
  await first.context().close()
  const page = await opened(browser, place)
  await page.goto(`${addressOf(place, 'wide')}?view=text`)
  await page.locator('.cm-content').waitFor()
  const switching = await shows(page, CELL, () => page.getByRole('button', { name: 'Table', exact: true }).click())
  const again = await opens(page, CELL, () => page.reload())
  await page.locator(CELL).first().click()
  const arrows = await keys(page, '.grid', 'ArrowDown')
  const scroll = await motion(browser, page, SCROLL)
  await page.context().close()
  return [
    ['10,000 x 40: open the page with it, ms', opening, '1000'],
    ['10,000 x 40: open it again, the scripts are cached, ms', again, '1000'],
    ['10,000 x 40: switch to it, ms', switching, '1000'],
    ['10,000 x 40: arrow key to paint p95, ms', arrows, '50'],
    ['10,000 x 40: scroll both ways, frames a second', scroll.fps, '50'],
    ['10,000 x 40: scroll both ways, main thread ms a frame', scroll.cpu, '14'],
  ]
}

const addressOf = ({ org, project, origin }: Place, name: string) => `${origin}/o/${org}/p/${project}/rulesets/${name}`

async function opened(browser: Browser, { origin, cookie }: Place): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  const [name = '', value = ''] = cookie().split('=', 2)
  await context.addCookies([{ name, value, url: origin }])
  const page = await context.newPage()
  page.setDefaultTimeout(MAX_INTERVAL_MS)
  return page
}

const CELL = '[role=gridcell]'

/**
 * Makes the page note when it has painted the first element that a selector finds. The page looks in each frame itself: the
 * driver would look only every half second after a while.
 */
const WATCH = (selector: string) => `{
  const look = () => {
    if (document.querySelector('${selector}') === null) return requestAnimationFrame(look)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => (window.paintedAt = performance.timeOrigin + performance.now())
    port2.postMessage(0)
  }
  look()
}`

/** Milliseconds until a page that is loaded shows an element. */
async function opens(page: Page, selector: string, open: () => Promise<unknown>): Promise<number> {
  const script = await page.addInitScript(WATCH(selector))
  const took = await painted(page, open)
  await script.dispose()
  return took
}

/** Milliseconds until an open page shows an element. */
async function shows(page: Page, selector: string, show: () => Promise<unknown>): Promise<number> {
  await page.evaluate(WATCH(selector))
  return painted(page, show)
}

async function painted(page: Page, work: () => Promise<unknown>): Promise<number> {
  const begin = performance.timeOrigin + performance.now()
  await work()
  // The policy of the page forbids what waiting functions are made with.
  const end = await page.evaluate(`new Promise((resolve) => {
    const look = () => (window.paintedAt === undefined ? requestAnimationFrame(look) : resolve(window.paintedAt))
    look()
  })`)
  return (end as number) - begin
}

/** One step of a motion, as the text of a function of the number of the frame: the pages' own code is not at hand here. */
const PAN = `(frame) => document.querySelector('.react-flow__pane').dispatchEvent(
  new WheelEvent('wheel', { deltaX: frame < ${FRAMES / 2} ? 30 : -30, deltaY: frame < ${FRAMES / 2} ? 12 : -12, bubbles: true }))`
const SCROLL = `(frame) => {
  const grid = document.querySelector('.grid')
  grid.scrollTop += 240
  grid.scrollLeft = (frame * 24) % 4000
}`

/** Frames a second while something moves in each, and processor time of the main thread for each. */
async function motion(browser: Browser, page: Page, step: string): Promise<{ fps: number; cpu: number }> {
  const meter = await mainThread(browser)
  const before = meter()
  const milliseconds = (await page.evaluate(`new Promise((resolve) => {
    const move = ${step}
    const begin = performance.now()
    let frame = 0
    const next = () => {
      move(frame)
      if (++frame < ${FRAMES}) requestAnimationFrame(next)
      else resolve(performance.now() - begin)
    }
    next()
  })`)) as number
  return { fps: (FRAMES * 1000) / milliseconds, cpu: (meter() - before) / FRAMES }
}

/** Milliseconds of processor time of the main threads of all pages: one of them works at a time. */
async function mainThread(browser: Browser): Promise<() => number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  return () => renderers.reduce((sum, { id }) => sum + processorTime(id), 0)
}

const processorTime = (id: number) =>
  Number(readFileSync(`/proc/${id}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** The 95th of 100 times from a key to the end of the frame that shows it. */
async function keys(page: Page, place: string, key: string): Promise<number> {
  await page.locator(place).first().click()
  await page.evaluate(`{
    window.paints = []
    addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => window.paints.push(performance.now() - timeStamp)
      port2.postMessage(0)
    }), true)
  }`)
  for (let count = 0; count < KEYS; count++) {
    await page.keyboard.press(key)
    await page.evaluate(`new Promise((resolve) => {
      const look = () => (window.paints.length > ${count} ? resolve() : requestAnimationFrame(look))
      look()
    })`)
  }
  const paints = (await page.evaluate('window.paints')) as readonly number[]
  return paints.toSorted((left, right) => left - right)[Math.floor(KEYS * 0.95)] ?? Number.NaN
}
