import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
const place = JSON.parse(readFileSync('/tmp/perf18-place.json', 'utf8'))
const what = process.argv[2] ?? 'near'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
const [name, value] = place.cookie.split('=', 2)
await context.addCookies([{ name, value, url: place.origin }])
const page = await context.newPage()
page.setDefaultTimeout(120000)
const cdp = await context.newCDPSession(page)
await cdp.send('Profiler.enable')
await cdp.send('Profiler.setSamplingInterval', { interval: 1000 })
const url = `${place.origin}/o/${place.org}/p/${place.project}/rulesets/graph`
async function profiled(f: () => Promise<unknown>) {
  await cdp.send('Profiler.start')
  const t = performance.now()
  const r = await f()
  const ms = performance.now() - t
  const { profile } = (await cdp.send('Profiler.stop')) as any
  const self = new Map<string, number>()
  const byId = new Map<number, any>(profile.nodes.map((n: any) => [n.id, n]))
  const parent = new Map<number, number>()
  for (const n of profile.nodes) for (const c of n.children ?? []) parent.set(c, n.id)
  const total = new Map<string, number>()
  profile.samples.forEach((id: number, i: number) => {
    const d = profile.timeDeltas[i] / 1000
    const label = (n: any) =>
      `${n.callFrame.functionName || '(anon)'} ${n.callFrame.url.split('/').pop()}:${n.callFrame.lineNumber}:${n.callFrame.columnNumber}`
    self.set(label(byId.get(id)), (self.get(label(byId.get(id))) ?? 0) + d)
    const seen = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parent.get(at)) {
      const l = label(byId.get(at))
      if (!seen.has(l)) {
        seen.add(l)
        total.set(l, (total.get(l) ?? 0) + d)
      }
    }
  })
  console.log(`--- wall ${ms.toFixed(0)}`, r)
  const top = (m: Map<string, number>, n: number) =>
    [...m]
      .sort((a, b) => b[1] - a[1])
      .slice(0, n)
      .map(([k, v]) => `  ${v.toFixed(0)} ms  ${k}`)
      .join('\n')
  console.log('self\n' + top(self, 22))
  console.log('total\n' + top(total, Number(process.argv[3] ?? 40)))
}
async function cats(f: () => Promise<unknown>) {
  const t = await browser.newBrowserCDPSession()
  const events: any[] = []
  t.on('Tracing.dataCollected', ({ value }: any) => events.push(...value))
  const done = new Promise((r) => t.once('Tracing.tracingComplete', r))
  await t.send('Tracing.start', {
    categories: 'devtools.timeline,disabled-by-default-devtools.timeline,toplevel',
    transferMode: 'ReportEvents',
  } as any)
  const r = await f()
  await t.send('Tracing.end')
  await done
  const names = new Map<string, string>()
  for (const e of events) if (e.name === 'thread_name') names.set(`${e.pid}/${e.tid}`, e.args.name)
  const sums = new Map<string, number>()
  for (const e of events)
    if (e.ph === 'X') {
      const k = `${names.get(`${e.pid}/${e.tid}`) ?? e.tid} ${e.name}`
      sums.set(k, (sums.get(k) ?? 0) + (e.tdur ?? e.dur ?? 0) / 1000)
    }
  console.log('trace', r)
  console.log(
    [...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 32)
      .map(([k, v]) => `  ${v.toFixed(0)} ms ${k}`)
      .join('\n'),
  )
}
const FR = 180
const PAN = `new Promise((resolve) => { const begin = performance.now(); let frame = 0
 const next = () => { document.querySelector('.react-flow__pane').dispatchEvent(new WheelEvent('wheel', { deltaX: frame < ${FR / 2} ? 30 : -30, deltaY: frame < ${FR / 2} ? 12 : -12, bubbles: true }))
 if (++frame < ${FR}) requestAnimationFrame(next); else resolve('fps ' + ${FR} * 1000 / (performance.now() - begin) + ' nodes ' + document.querySelectorAll('.nd').length + ' edges ' + document.querySelectorAll('.react-flow__edge').length) }
 next() })`
const open = async () => {
  await page.goto(url)
  await page.locator('.nd').first().waitFor()
}
if (what === 'open') {
  await open()
  await profiled(open)
  await cats(open)
} else {
  await open()
  await page.waitForTimeout(3000)
  if (what === 'near') {
    await profiled(() => page.evaluate(PAN))
    await cats(() => page.evaluate(PAN))
  }
  if (what === 'far') {
    await page.getByRole('button', { name: 'Fit to view' }).click()
    await page.waitForTimeout(1000)
    await profiled(() => page.evaluate(PAN))
    await cats(() => page.evaluate(PAN))
  }
  if (what === 'keys') {
    await page.locator('.details .cm-content').first().click()
    const type = async () => {
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press('a')
        await page.evaluate('new Promise(r => requestAnimationFrame(() => setTimeout(r)))')
      }
    }
    await profiled(type)
    await cats(type)
  }
  if (what === 'shot') await page.screenshot({ path: '/tmp/perf18.png' })
}
await browser.close()
