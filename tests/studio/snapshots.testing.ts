import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** How a picture was made, or compared with the one that is kept: the part of its pixels that differ, from 0 to 1. */
export interface Snapshot {
  readonly name: string
  readonly difference: number
}

/** Quality of WebP at which texts stay sharp and a picture takes some 30 kB. */
const QUALITY = 80
/** Difference of a channel, of 255, from which on a pixel differs: what compression and smoothing of edges change is less. */
const CHANNEL = 48

/** Pictures of pages in a folder: recreated, or compared with the existing ones. */
export function snapshotsIn(folder: string, mode: 'write' | 'check', differing: string) {
  return async (page: Page, name: string): Promise<Snapshot> => {
    await settle(page)
    const picture = await captured(page)
    const file = join(folder, `${name}.webp`)
    if (mode === 'write') {
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, picture)
      return { name, difference: 0 }
    }
    const difference = existsSync(file) ? await differenceOf(page, readFileSync(file), picture) : 1
    if (difference > 0) {
      mkdirSync(differing, { recursive: true })
      writeFileSync(join(differing, `${name}.webp`), picture)
    }
    return { name, difference }
  }
}

async function captured(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  await session.detach()
  return Buffer.from(data, 'base64')
}

/** Waits for fonts, and hides everything that differs between runs: times, ids, digests, addresses, a caret. */
async function settle(page: Page): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready')
  await page.evaluate(HIDE)
}

/** The text of a script: the pages' policy allows no style and no script that is added. */
const HIDE = `{
  const patterns = [
    [/\\b\\d{1,2} [A-Z][a-z]{2} \\d{4}, \\d{2}:\\d{2}(:\\d{2})?/g, '15 Jan 2026, 09:30'],
    [/localhost:\\d+/g, 'studio.example'],
    [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000'],
    [/\\b(sha256:)?[0-9a-f]{10,64}\\b/g, (text) => text.replace(/[0-9a-f]{10,64}$/, (digits) => 'c0ffee'.repeat(11).slice(0, digits.length))],
    [/[\\w.+-]+@[\\w.-]+/g, 'ada@example.org'],
    [/\\b\\d+(\\.\\d+)? (ms|µs)\\b/g, '1 ms'],
  ]
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    // An expression editor would take another text for the author's.
    if (node.parentElement.closest('.cm-editor')) continue
    const text = patterns.reduce((text, [pattern, by]) => text.replace(pattern, by), node.data)
    if (text !== node.data) node.data = text
  }
  for (const caret of document.querySelectorAll('.cm-cursorLayer')) caret.style.visibility = 'hidden'
  document.documentElement.style.setProperty('caret-color', 'transparent')
}`

/** The part of the pixels that differ; all of them where the sizes do. */
async function differenceOf(page: Page, kept: Buffer, made: Buffer): Promise<number> {
  const judge = await page.context().newPage()
  try {
    const [left, right] = [kept, made].map((bytes) => `'data:image/webp;base64,${bytes.toString('base64')}'`)
    return (await judge.evaluate(`(${DIFFERENCE})(${left}, ${right})`)) as number
  } finally {
    await judge.close()
  }
}

const DIFFERENCE = `async (left, right) => {
  const pixelsOf = async (address) => {
    const image = new Image()
    image.src = address
    await image.decode()
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, image.width, image.height)
  }
  const [one, other] = [await pixelsOf(left), await pixelsOf(right)]
  if (one.width !== other.width || one.height !== other.height) return 1
  let count = 0
  for (let at = 0; at < one.data.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(one.data[at + channel] - other.data[at + channel]) > ${CHANNEL})) count++
  return count / (one.width * one.height)
}`
