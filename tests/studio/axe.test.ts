import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RULES_OF_THEMES, violations } from './axe.testing.ts'
import { CHROMIUM, sharedBrowser } from './chromium.testing.ts'

const PAGE = `<!doctype html><html lang="en"><title>Prices</title><main><h1>Prices</h1>
<img src="data:,"><p style="color: #999; background: #aaa">Hard to read</p></main></html>`

const PICTURE = 'image-alt: <img src="data:,">'
const CONTRAST = 'color-contrast: <p style="color: #999; background: #aaa">Hard to read</p>'

describe.skipIf(CHROMIUM === undefined)('violations that axe finds', () => {
  let page: Page
  beforeEach(async () => {
    page = await (await sharedBrowser()).newPage()
    await page.setContent(PAGE)
  })
  afterEach(() => page.close())

  test('are reported by rule and element', async () => {
    expect((await violations(page)).toSorted()).toEqual([CONTRAST, PICTURE])
  })

  test('are those of the named rules alone', async () => {
    expect(await violations(page, RULES_OF_THEMES)).toEqual([CONTRAST])
  })

  test('are none of a rule that is left out', async () => {
    expect(await violations(page, undefined, ['image-alt'])).toEqual([CONTRAST])
  })

  test('are found again in a document that changed, and in the next one', async () => {
    await violations(page)
    await page.evaluate('document.querySelector("img").alt = "A parcel"')
    expect(await violations(page)).toEqual([CONTRAST])
    await page.setContent(PAGE.replace(/<p.*<\/p>/, ''))
    expect(await violations(page)).toEqual([PICTURE])
  })
})
