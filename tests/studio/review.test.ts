import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, useStudio } from './browser.testing.ts'
import { newReviewedProject, REVIEWED, type ReviewedProject } from './reviewed.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the review of a release', () => {
  const studio = useStudio()
  // Made by the first test: `expect.poll` works in tests only.
  let reviewed: ReviewedProject
  beforeEach(async () => {
    reviewed ??= await newReviewedProject(studio.platform())
  }, 300_000)
  afterAll(() => reviewed?.stop())

  const addressOf = ({ project, release }: ReviewedProject) => `${project.url}/releases/${release}`
  const open = async (page: Page, tab?: string) => {
    await page.goto(`${addressOf(reviewed)}${tab === undefined ? '' : `?tab=${tab}`}`)
    await page.getByRole('region', { name: 'What this release does' }).waitFor()
  }

  test('leads with the worst change and shows its inputs, proved and recorded', async () => {
    const page = await studio.open(await reviewed.project.team.join(['admin']))
    await open(page)
    const verdict = page.getByRole('region', { name: 'What this release does' })
    await verdict
      .getByRole('heading', { name: /^ON_REQUEST becomes PRICED in 6 of \d+ recorded decisions\.$/ })
      .waitFor()
    await verdict.getByText(/^NO_DELIVERY becomes PRICED in 4 of \d+ recorded decisions\.$/).waitFor()
    await verdict.getByText(/^PRICED keeps its code, its message or output changes in 8 of/).waitFor()
    await verdict.getByText('0 of 1').waitFor()

    // The cell of the worst transition is open: its region has an executed example, as do the recordings.
    const matrix = page.getByRole('region', { name: 'How decisions change' })
    expect(await matrix.getByRole('button', { name: 'ON_REQUEST to PRICED: 6' }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    const inputs = page.getByRole('region', { name: 'Inputs that decide differently' })
    await inputs.getByText('country is DE and').first().waitFor()
    await inputs.getByRole('listitem', { name: 'Recorded decision 1' }).getByText('"DE"').waitFor()

    await matrix.getByRole('button', { name: 'NO_DELIVERY to PRICED: 4' }).click()
    await inputs.getByText('country is FR').first().waitFor()
    await inputs.getByRole('cell', { name: '9.9' }).first().waitFor()
    await page.getByRole('row').filter({ hasText: 'price' }).getByText('+8', { exact: true }).waitFor()
    await page.getByText('No input that gets a decision today fails').waitFor()

    // The example runs in the editor.
    await inputs.getByRole('link', { name: 'Run in the editor' }).first().click()
    await page.getByRole('region', { name: 'Way through the rules' }).getByText('PRICED').first().waitFor()
  })

  test('shows the changes as a list, a table, a flow and a text', async () => {
    const page = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(page, 'changes')
    const changes = page.getByRole('region', { name: `${REVIEWED} in prod` })
    const weight = changes.getByRole('article').filter({ hasText: 'Price by country and weight, row 1, Weight' })
    await weight.getByText('up to 20').waitFor()
    await weight.locator('.changed').getByText('up to 30').waitFor()
    await changes.getByRole('article').filter({ hasText: 'row 4' }).getByText('added').waitFor()

    await changes.getByRole('button', { name: 'Table' }).click()
    await changes
      .getByRole('region', { name: 'Live: 1.0.0' })
      .getByRole('gridcell', { name: 'up to 20' })
      .first()
      .waitFor()
    await changes.getByRole('region', { name: 'This release: 1.1.0' }).getByRole('gridcell', { name: 'FR' }).waitFor()
    await changes.getByRole('button', { name: 'Flow' }).click()
    await changes.locator('.nd[data-change=changed]').nth(1).waitFor()
    await changes.getByRole('button', { name: 'Text' }).click()
    await changes.getByRole('row', { name: /removed.*"weight": "<= 20"/ }).waitFor()
    await changes.getByRole('row', { name: /added.*"weight": "<= 30"/ }).waitFor()
  })

  test('comments on a place are discussed, settled and deleted', async () => {
    const reviewer = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(reviewer, 'changes')
    const row = reviewer.getByRole('article').filter({ hasText: 'Price by country and weight, row 3, Price' })
    await row.getByRole('button', { name: /^Comment on Price by country/ }).click()
    await row.getByRole('textbox').fill('Does Austria know?')
    await row.getByRole('button', { name: 'Comment', exact: true }).click()
    await row.getByText('Does Austria know?').waitFor()

    // The author reads it in the discussion, answers on the release, and settles it.
    const author = await studio.open(reviewed.project.team.owner)
    await open(author, 'discussion')
    const discussion = author.getByRole('region', { name: 'Discussion' })
    const asked = discussion.getByRole('listitem').filter({ hasText: 'Does Austria know?' })
    await asked.getByText(`${REVIEWED}, Price by country and weight, row 3, Price`).waitFor()
    await discussion.getByLabel('Comment on the release').fill('Yes, since Monday.')
    await discussion.getByRole('button', { name: 'Comment', exact: true }).click()
    // A sent comment leaves an empty form.
    await expect.poll(() => discussion.getByLabel('Comment on the release').inputValue()).toBe('')
    await discussion.getByRole('listitem').filter({ hasText: 'Yes, since Monday.' }).waitFor()
    await asked.getByRole('button', { name: 'Settle' }).click()
    await asked.getByText('settled').waitFor()
    await author.getByRole('link', { name: /Discussion.*1/ }).waitFor()
    await row.getByText('settled').waitFor()

    const answer = discussion.getByRole('listitem').filter({ hasText: 'Yes, since Monday.' })
    await answer.getByRole('button', { name: 'Delete' }).click()
    await answer.waitFor({ state: 'detached' })
  })

  test('names the changed rows that no test reaches, and the plan', async () => {
    const page = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(page, 'tests')
    await page.getByText('2 of 2 tests pass').waitFor()
    const coverage = page.getByRole('region', { name: `Coverage of what changed: ${REVIEWED}` })
    const row = (number: number) =>
      coverage.getByRole('row').filter({ hasText: `Price by country and weight, row ${number}` })
    await row(1).getByText('1 test', { exact: true }).waitFor()
    await row(4).getByText('no test').waitFor()
    await page.getByRole('link', { name: 'Contract', exact: true }).click()
    await page.getByText('Callers need no change.').waitFor()
    await page.getByRole('link', { name: 'Plan' }).click()
    await page.getByText('All engines together, without a canary').waitFor()
    await page.getByText('1 engine').waitFor()
  })

  test('lets a reader read, and requests nothing without the right', async () => {
    const page = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(page)
    await page.getByText('Waiting for an approval by someone else.').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await page.goto(`${reviewed.project.url}/releases/new`)
    await page.getByRole('heading', { name: 'You cannot see this' }).waitFor()
  })

  test('passes axe on every part in both themes, on a screen and on a phone, and speaks Chinese', async () => {
    const approver = await reviewed.project.team.join(['admin'])
    for (const isPhone of [false, true]) {
      const page = await studio.open(approver, { isPhone })
      for (const tab of ['behavior', 'changes', 'tests', 'contract', 'plan', 'discussion']) {
        await open(page, tab)
        await page.locator('.review-main .card').first().waitFor()
        await expectAccess(page, `${tab}${isPhone ? ', phone' : ''}`)
        if (isPhone) expect(await page.evaluate('document.documentElement.scrollWidth'), tab).toBe(390)
      }
    }
    const chinese = await studio.open(approver, { locale: 'zh-CN' })
    await chinese.goto(addressOf(reviewed))
    await chinese.getByRole('heading', { name: /^ON_REQUEST 变为 PRICED，在 \d+ 个已记录决策中有 6 个。$/ }).waitFor()
    await chinese.getByRole('link', { name: '行为' }).waitFor()
  })

  test('is rejected with a reason, changed and requested again without a chosen production', async () => {
    const { team } = reviewed.project
    const approver = await studio.open(await team.join(['admin']))
    await open(approver)
    await approver.keyboard.press('r')
    const dialog = approver.getByRole('dialog', { name: 'Reject release 2' })
    await dialog.getByLabel('Reason').fill('France has no carrier yet')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await approver.getByText('France has no carrier yet').waitFor()

    const author = await studio.open(team.owner)
    await open(author)
    await author.getByRole('link', { name: 'Change and request again' }).click()
    await author.getByRole('heading', { name: 'New release' }).waitFor()
    expect(await author.getByLabel('Title').inputValue()).toBe('Prices for heavier parcels')
    expect(await author.getByRole('checkbox', { name: new RegExp(`^${REVIEWED}`) }).isChecked()).toBe(true)
    expect(await author.getByRole('checkbox', { name: /^prod/ }).isChecked()).toBe(false)
    await author.getByRole('checkbox', { name: /^prod/ }).check()
    await author.getByRole('button', { name: 'Preview' }).click()
    await author.getByRole('heading', { name: /^ON_REQUEST becomes PRICED/ }).waitFor()
    await author.getByRole('button', { name: 'Request the release to prod' }).click()
    await author.getByText('Release 3: ').waitFor()
  })

  test('goes live in a freeze window by the name of production and the reason of an owner', async () => {
    const { team, path, url } = reviewed.project
    const policy = {
      name: 'No releases',
      match: { environments: ['prod'] },
      freeze_window: { cron: '0 0 * * *', duration: '1d' },
      approvers: { min_count: 1 },
    }
    const made = await team.owner.request('POST', `${path}/release-policies`, policy)
    expect(made.status, made.text).toBe(201)
    const page = await studio.open(team.owner)
    await page.goto(`${url}/rulesets/${REVIEWED}`)
    await page.getByRole('button', { name: 'Request release' }).click()
    await page.getByLabel('Title').fill('Urgent')
    await page.getByRole('checkbox', { name: /^prod/ }).check()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Request the release to prod' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^ON_REQUEST becomes PRICED/).waitFor()
    await dialog.getByLabel('Comment').fill('agreed with risk')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('agreed with risk').waitFor()
    await page.getByRole('button', { name: 'Release to prod' }).click()
    await dialog.getByLabel('Type prod to confirm').fill('prod')
    await dialog.getByRole('button', { name: 'Release to prod' }).click()
    await dialog.getByLabel('Emergency reason').fill('prices are wrong')
    await dialog.getByRole('button', { name: 'Release to prod' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Release 4: ').getByText('completed').waitFor()
  })
})
