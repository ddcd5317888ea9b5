import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

const WIDTH = 390

/** Controls that a thumb can miss, and how wide the page is. A box in a text or a label is touched with it. */
const MEASURED = `(() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.closest('.vh, .skip, p, pre') === null
  const boxOf = (one) => (one.matches('input') ? (one.closest('label') ?? one) : one).getBoundingClientRect()
  const small = Array.from(document.querySelectorAll('a, button, input, select, textarea, [role=button], [role=gridcell]'))
    .filter(shown)
    .map((one) => [one, boxOf(one)])
    .filter(([, { width, height }]) => width > 1 && (width < 24 || height < 24))
    .map(([one]) => one.outerHTML.slice(0, 120))
  return { width: document.documentElement.scrollWidth, small }
})()`

const ready = async (page: Page) => {
  await page.locator('h1, .state h2').first().waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

describe.skipIf(CHROMIUM === undefined)('on a phone', () => {
  const studio = useStudio()

  test('rules are read and a release is approved by touch; no page is wider than the screen', async () => {
    const project = await newProject(studio.platform())
    const { team, path, url } = project
    const { id } = await made(
      team.owner.request('POST', `${path}/releases`, {
        title: 'Coupons for the summer with a long name',
        rulesets: [{ name: 'ecommerce_coupon', from_seq: 1 }],
        environments: ['prod'],
      }),
    )
    const page = await studio.open(await team.join(['admin']), { isPhone: true })
    const organization = `${studio.platform().publicUrl}/o/${team.id}`
    const pages = [
      'rulesets',
      'tests',
      'releases',
      'facts',
      'concepts',
      'contracts',
      'contracts/ecommerce_coupon',
      'sub-rules',
      'sub-rules/customer_class',
    ]
    const views = ['', '?view=table', '?view=text', '/history'].map((view) => `rulesets/ecommerce_coupon${view}`)
    for (const address of [
      ...[
        '',
        '/inbox',
        '/members',
        '/roles',
        '/invitations',
        '/account',
        '/keys',
        '/engines',
        '/audit',
        '/settings',
      ].map((one) => organization + one),
      ...[...pages, 'integrate', 'webhooks', 'signing', 'settings', 'releases/new', ...views].map(
        (one) => `${url}/${one}`,
      ),
      `${url}/releases/${id}`,
    ]) {
      await page.goto(address)
      await ready(page)
      expect.soft(await page.evaluate(MEASURED), address).toEqual({ width: WIDTH, small: [] })
    }

    await page.goto(`${organization}/inbox`)
    await page
      .getByRole('link', { name: /^Coupons for the summer/ })
      .first()
      .tap()
    await page.getByText('ecommerce_coupon').first().waitFor()
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    const { y = 0, height = 0 } = (await approve.boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(844)
    await approve.tap()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).tap()
    await page.getByText('1 of 1 approval').waitFor()

    await page.getByRole('button', { name: 'Navigation' }).tap()
    await page.getByRole('link', { name: 'Rulesets' }).tap()
    await page.getByRole('link', { name: 'ecommerce_coupon', exact: true }).tap()
    await page
      .getByRole('group', { name: /^Decision/ })
      .first()
      .tap()
    await page.getByRole('complementary').getByText('cart_amount < 30').waitFor()
  })
})
