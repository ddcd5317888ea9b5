import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectAccess, expectAccessInOneTheme } from './axe.testing.ts'
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
    await verdict.getByText(/of recorded decisions change: 18 of \d+$/).waitFor()
    await verdict.getByText('2 of 2').waitFor()
    await verdict.getByText('callers need nothing').waitFor()
    await verdict.getByText('release 1', { exact: true }).waitFor()

    // The matrix has what changes and what stays; the difference is proved.
    const becomes = page.getByRole('region', { name: 'How decisions change' }).first()
    await becomes.getByText('proved: these 3 and no others').waitFor()
    await becomes.getByRole('button', { name: 'ON_REQUEST to PRICED: 6' }).waitFor()
    await becomes.getByRole('columnheader', { name: 'NO_DELIVERY' }).waitFor()
    await becomes.getByRole('img', { name: /^Change of price, EUR: same: \d+, \+1: 8$/ }).waitFor()

    // Places by the number of recorded decisions; the first is open.
    const places = page.getByRole('region', { name: 'Where it changes' })
    const rows = places.getByRole('listitem')
    await rows.nth(0).getByText('country is AT').waitFor()
    await rows.nth(0).getByText('6.9').first().waitFor()
    await rows.nth(0).getByText('7.9 EUR').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await rows.nth(1).getByText('country is DE and').waitFor()
    await rows.nth(1).getByRole('heading', { name: 'Candidate' }).waitFor()

    await becomes.getByRole('button', { name: 'NO_DELIVERY to PRICED: 4' }).click()
    await places.getByText('country is FR').first().waitFor()
    await places.getByRole('listitem', { name: 'Recorded decision 1' }).getByText('FR').waitFor()
    await places.getByRole('button', { name: 'Show all places' }).click()
    await page.getByRole('row').filter({ hasText: 'price' }).getByText('+8 EUR', { exact: true }).waitFor()
    await page.getByText('No input that gets a decision today fails').waitFor()

    // The missing approval and the checks.
    const side = page.getByRole('complementary', { name: 'Approvals and checks' })
    await side.getByText('1 more approval').waitFor()
    await side.getByText('Compared with what is live now').waitFor()
    await side.getByText('1 of 1 engine is online').waitFor()

    // The example runs in the editor.
    await places.getByRole('link', { name: 'Run' }).first().click()
    await page.getByRole('region', { name: 'Way through the rules' }).getByText('PRICED').first().waitFor()
  })

  test('shows the changes in one table of both versions, as a flow and as a text', async () => {
    const page = await studio.open(await reviewed.project.team.join(['admin']))
    await open(page, 'changes')
    const changes = page.getByRole('region', { name: `${REVIEWED} in prod` })
    const table = changes.getByRole('region', { name: 'Price by country and weight' })
    const row = (name: RegExp) => table.getByRole('row', { name })
    // Sign, number, cells with both values, result, and how many recorded decisions take the row.
    await row(/^changed 1 DE live: up to 20 candidate: up to 30 4.9 PRICED 2\d/).waitFor()
    await row(/^changed 2 DE live: over 20 candidate: over 30 0 ON_REQUEST 0/).waitFor()
    await row(/^changed 3 AT up to 20 live: 6.9 candidate: 7.9 PRICED 8/).waitFor()
    await row(/^added 4 FR up to 20 9.9 PRICED 4/).waitFor()
    await changes.getByRole('region', { name: 'Other changes' }).getByText('Version').first().waitFor()

    // Who may not read recorded decisions sees no counts.
    const viewer = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(viewer, 'changes')
    await viewer.getByRole('row', { name: /added 4 FR up to 20 9.9 PRICED/ }).waitFor()
    expect(await viewer.getByRole('columnheader', { name: 'Seen' }).count()).toBe(0)

    await changes.getByRole('button', { name: 'Flow' }).click()
    await changes.locator('.nd[data-change=changed]').nth(1).waitFor()
    await changes.getByRole('button', { name: 'Text' }).click()
    await changes.getByRole('row', { name: /removed.*"weight": "<= 20"/ }).waitFor()
    await changes.getByRole('row', { name: /added.*"weight": "<= 30"/ }).waitFor()
  })

  test('comments on a place are discussed, settled and deleted', async () => {
    const reviewer = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(reviewer, 'changes')
    const table = reviewer.getByRole('region', { name: 'Price by country and weight' })
    await table.getByRole('button', { name: 'Comment on Price by country and weight, row 3' }).click()
    await table.getByRole('textbox').fill('Does Austria know?')
    await table.getByRole('button', { name: 'Comment', exact: true }).click()
    const thread = table.getByRole('list', { name: 'Comments on Price by country and weight, row 3' })
    await thread.getByText('Does Austria know?').waitFor()

    // The author reads it in the discussion, answers on the release, and settles it.
    const author = await studio.open(reviewed.project.team.owner)
    await open(author, 'discussion')
    const discussion = author.getByRole('region', { name: 'Discussion' })
    const asked = discussion.getByRole('listitem').filter({ hasText: 'Does Austria know?' })
    await asked.getByText(`${REVIEWED}, Price by country and weight, row 3`).waitFor()
    await discussion.getByLabel('Comment on the release').fill('Yes, since Monday.')
    await discussion.getByRole('button', { name: 'Comment', exact: true }).click()
    // A sent comment leaves an empty form.
    await expect.poll(() => discussion.getByLabel('Comment on the release').inputValue()).toBe('')
    await discussion.getByRole('listitem').filter({ hasText: 'Yes, since Monday.' }).waitFor()
    await asked.getByRole('button', { name: 'Settle' }).click()
    await asked.getByText('settled').waitFor()
    await author.getByRole('link', { name: /Discussion.*1/ }).waitFor()
    await thread.getByText('settled').waitFor()

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
    await page.getByText('All engines at once').waitFor()
    await page.getByText('Way back at any time: release 1').waitFor()
    await page.getByText('1 engine', { exact: true }).waitFor()
  })

  test('lets a reader read, and requests nothing without the right', async () => {
    const page = await studio.open(await reviewed.project.team.join(['viewer']))
    await open(page)
    await page.getByText('1 more approval').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await page.goto(`${reviewed.project.url}/releases/new`)
    await page.getByRole('heading', { name: 'You cannot see this' }).waitFor()
  })

  test('passes axe on every part, on a screen in both themes and on a phone, and speaks Chinese', async () => {
    const approver = await reviewed.project.team.join(['admin'])
    for (const isPhone of [false, true]) {
      const page = await studio.open(approver, { isPhone })
      for (const tab of ['behavior', 'changes', 'tests', 'contract', 'plan', 'discussion']) {
        await open(page, tab)
        await page.locator('.review-main .card').first().waitFor()
        await (isPhone ? expectAccessInOneTheme(page, `${tab}, phone`) : expectAccess(page, tab))
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
    await page.getByText('Live in prod.').waitFor()
  })
})
