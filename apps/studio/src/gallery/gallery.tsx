import { useState } from 'react'
import { ApiError } from '../api/errors.ts'
import { TimeChart } from '../ui/time-charts.tsx'
import { chooseTheme, useTheme } from '../frame/theme.ts'
import { ChangeSides } from '../ui/change-sides.tsx'
import { Choice } from '../ui/choice.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Box } from '../ui/dialog.tsx'
import { EnvironmentName } from '../ui/environment-name.tsx'
import { Expression } from '../ui/expression.tsx'
import { FigureList } from '../ui/figure-list.tsx'
import { Form, FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { ListTable, More } from '../ui/list.tsx'
import { MenuButton, PopoverButton } from '../ui/menu-button.tsx'
import { Page } from '../ui/page.tsx'
import { Picture } from '../ui/picture.tsx'
import { Empty, Failed, Pending, Refusal, Skeleton } from '../ui/states.tsx'
import { SteadyButton } from '../ui/steady-button.tsx'
import { TabList } from '../ui/tab-list.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { TextDiff } from '../ui/text-diff.tsx'
import { TransitionTable } from '../ui/transition-table.tsx'
import { ValueList } from '../ui/value-list.tsx'
import { ChartSamples } from './chart-samples.tsx'
import { Sample } from './sample.tsx'

/**
 * Every component of `ui/` in every state, without a server: `npm run dev`, then `/gallery.html`. The product's bundle does not
 * contain it. `tests/studio/gallery.test.ts` fails when a component is missing here.
 */
export function Gallery() {
  return (
    <Page title="Components" text="Every component of the studio in every state." actions={<ThemeChoice />}>
      <div className="stack">
        <Primitives />
        <States />
        <Lists />
        <Forms />
        <Dialogs />
        <Menus />
        <Texts />
        <Charts />
        <ChartSamples />
        <Effects />
      </div>
    </Page>
  )
}

function ListedTabs() {
  const [open, show] = useState<'step' | 'findings' | 'history'>('step')
  return (
    <div className="card">
      <TabList
        label="About the rules"
        tabs={[
          { name: 'step', label: 'Step' },
          {
            name: 'findings',
            label: (
              <>
                Findings
                <span className="tag" data-tone="warn">
                  2
                </span>
              </>
            ),
          },
          { name: 'history', label: 'History' },
        ]}
        open={open}
        show={show}
      >
        <p className="body">The tab {open} is open.</p>
      </TabList>
    </div>
  )
}

function ThemeChoice() {
  const theme = useTheme()
  return (
    <div className="row">
      {(['light', 'dark'] as const).map((one) => (
        <button key={one} type="button" className="btn" aria-pressed={theme === one} onClick={() => chooseTheme(one)}>
          {one === 'light' ? 'Light' : 'Dark'}
        </button>
      ))}
    </div>
  )
}

const refusal = (status: number, error: string, details: readonly { path: string; message: string }[] = []) =>
  new ApiError(status, { error, details: details.map((one) => ({ ...one })) }, 'b7a1c0de')

const TONES = ['ok', 'warn', 'bad', 'accent', 'candidate'] as const
const CODES = ['PRICED', 'FREE', 'ON_REQUEST', 'NO_DELIVERY', 'REVIEW', 'REFUSED']

function Primitives() {
  const [choice, setChoice] = useState('prod')
  const [presses, setPresses] = useState(0)
  return (
    <>
      <Sample of="Icon SteadyButton" title="Buttons">
        <div className="row wrap">
          <button type="button" className="btn">
            Default
          </button>
          <button type="button" className="btn" data-kind="primary">
            <Icon name="plus" /> Primary
          </button>
          <button type="button" className="btn" data-kind="bad">
            <Icon name="trash" /> Dangerous
          </button>
          <button type="button" className="btn" data-kind="quiet">
            Quiet
          </button>
          <button type="button" className="btn" disabled>
            Disabled
          </button>
          <SteadyButton className="btn" isOff={false} onClick={() => setPresses(presses + 1)}>
            Steady, pressed {presses} times
          </SteadyButton>
          <SteadyButton className="btn" isOff onClick={() => setPresses(presses + 1)}>
            Steady, off
          </SteadyButton>
        </div>
      </Sample>
      <Sample of="" title="Tags and notes">
        <div className="row wrap">
          <span className="tag">plain</span>
          {TONES.map((tone) => (
            <span key={tone} className="tag" data-tone={tone}>
              {tone}
            </span>
          ))}
        </div>
        {TONES.map((tone) => (
          <div key={tone} className="note" data-tone={tone}>
            <Icon name={tone === 'ok' ? 'ok' : 'alert'} />
            <div>A note of tone {tone}.</div>
          </div>
        ))}
      </Sample>
      <Sample of="Tabs" title="Tabs of pages that belong together">
        <Tabs
          label="Vocabulary"
          tabs={[
            { to: '/gallery.html', label: 'Facts' },
            { to: '/concepts', label: 'Concepts' },
            { to: '/contracts', label: 'Contracts' },
          ]}
        />
      </Sample>
      <Sample of="TabList" title="Tabs within a page">
        <ListedTabs />
      </Sample>
      <Sample of="CodeTag" title="Segments, and colours of result codes">
        <div className="seg" role="group" aria-label="Direction">
          <button type="button" aria-pressed="true">
            Down
          </button>
          <button type="button" aria-pressed="false">
            Right
          </button>
        </div>
        <div className="row wrap">
          {CODES.map((code, index) => (
            <CodeTag key={code} name={code} colour={`--c${index + 1}`} />
          ))}
          <CodeTag name="OTHER" />
          <CodeTag name="error TYPE" isError />
        </div>
      </Sample>
      <Sample of="Choice Go" title="Choices and links">
        <Choice label="Environment" value={choice} options={['dev', 'staging', 'prod']} choose={setChoice} />
        <p>
          <Go to="/o/acme">A link within the studio</Go>
        </p>
      </Sample>
    </>
  )
}

const PICTURES = ['flow', 'scales', 'road', 'people', 'book', 'signal', 'key', 'search', 'tray'] as const

const noop = () => undefined

function States() {
  return (
    <>
      <Sample of="Skeleton Pending" title="Loading">
        <Skeleton lines={3} />
        <Pending of={{ error: null, refetch: noop }} lines={2} />
      </Sample>
      <Sample of="Empty" title="Empty">
        <Empty picture="book" title="No facts yet" text="A fact is an input field that several rulesets share.">
          <button type="button" className="btn" data-kind="primary">
            New fact
          </button>
        </Empty>
      </Sample>
      <Sample of="Picture" title="Pictures of empty places">
        <div className="row wrap">
          {PICTURES.map((name) => (
            <Picture key={name} name={name} />
          ))}
        </div>
      </Sample>
      <Sample of="Failed Pending" title="Not allowed">
        <Failed error={refusal(403, '`fact.edit` is required')} />
      </Sample>
      <Sample of="Failed" title="Unknown">
        <Failed error={refusal(404, 'not found')} />
      </Sample>
      <Sample of="Failed" title="Unreachable">
        <Failed error={refusal(0, '')} retry={noop} />
      </Sample>
      <Sample of="Failed Pending" title="Failed">
        <Pending of={{ error: refusal(500, 'an internal error'), refetch: noop }} />
      </Sample>
      <Sample of="Refusal" title="A refused change">
        <Refusal error={refusal(409, 'there is a fact `cart_amount` already')} />
        <Refusal error={refusal(0, '')} />
      </Sample>
    </>
  )
}

interface Row {
  readonly name: string
  readonly count: number
}

const ROWS: readonly Row[] = [
  { name: 'ecommerce_coupon', count: 1204 },
  { name: 'shipping_costs', count: 87 },
]

function Lists() {
  const list = {
    error: null,
    items: ROWS,
    hasNextPage: false,
    isFetchingNextPage: false,
    refetch: noop,
    fetchNextPage: noop,
  }
  const columns = [
    { title: 'Ruleset', cell: ({ name }: Row) => name },
    { title: 'Decisions', kind: 'number' as const, cell: ({ count }: Row) => count.toLocaleString() },
    {
      title: 'Actions',
      kind: 'actions' as const,
      cell: ({ name }: Row) => (
        <button type="button" className="btn" data-kind="quiet" aria-label={`Delete ${name}`}>
          <Icon name="trash" />
        </button>
      ),
    },
  ]
  const empty = <Empty picture="flow" title="No rulesets" text="Create the first one." />
  const shared = { columns, empty, keyOf: ({ name }: Row) => name }
  return (
    <>
      <Sample of="ListTable" title="List">
        <ListTable name="Rulesets" list={list} {...shared} />
      </Sample>
      <Sample of="ListTable More" title="List with more">
        <ListTable name="Rulesets with more" list={{ ...list, hasNextPage: true }} {...shared} />
        <More list={{ ...list, hasNextPage: true, isFetchingNextPage: true }} />
      </Sample>
      <Sample of="ListTable" title="List: loading, failed, empty">
        <ListTable name="Loading" list={{ ...list, items: undefined }} {...shared} />
        <ListTable
          name="Failed"
          list={{ ...list, items: undefined, error: refusal(500, 'an internal error') }}
          {...shared}
        />
        <ListTable name="Empty" list={{ ...list, items: [] }} {...shared} />
      </Sample>
    </>
  )
}

const OPTIONS = [
  { value: 'dev', label: 'Development' },
  { value: 'prod', label: 'Production' },
]
const FIELDS = [
  { name: 'name', label: 'Name', hint: 'Lower case, as in expressions.' },
  { name: 'email', label: 'Email', kind: 'email', isOptional: true },
  { name: 'password', label: 'Password', kind: 'password', isOptional: true, autoComplete: 'new-password' },
  { name: 'order', label: 'Order', kind: 'number', isOptional: true },
  { name: 'description', label: 'Description', kind: 'area', isOptional: true },
  { name: 'environment', label: 'Environment', kind: 'select', options: OPTIONS },
  { name: 'roles', label: 'Roles', kind: 'checks', options: OPTIONS },
  { name: 'enabled', label: 'Enabled', kind: 'flag' },
] as const
const NAME = [{ name: 'name', label: 'Name' }] as const

function Forms() {
  const refused = refusal(400, 'the name is not valid', [{ path: '/name', message: '`1a` begins with a digit' }])
  return (
    <>
      <Sample of="Form" title="Form with every kind of field">
        <Form fields={FIELDS} submit="Save" cancel={noop} send={() => Promise.resolve()} />
      </Sample>
      <Sample of="Form" title="Form that is refused">
        <Form fields={NAME} initial={{ name: '1a' }} submit="Save and fail" send={() => Promise.reject(refused)} />
      </Sample>
      <Sample of="Form" title="Form while it is sent">
        <Form fields={NAME} initial={{ name: 'a' }} submit="Save slowly" send={() => new Promise(noop)} />
      </Sample>
    </>
  )
}

function Dialogs() {
  const [open, setOpen] = useState<'box' | 'wide' | 'form' | 'confirm'>()
  const close = () => setOpen(undefined)
  const opener = (which: typeof open, label: string) => (
    <button type="button" className="btn" onClick={() => setOpen(which)}>
      {label}
    </button>
  )
  return (
    <Sample of="Box FormBox Confirm" title="Dialogs">
      <div className="row wrap">
        {opener('box', 'Open a dialog')}
        {opener('wide', 'Open a wide dialog')}
        {opener('form', 'Open a form')}
        {opener('confirm', 'Open a confirmation')}
      </div>
      {(open === 'box' || open === 'wide') && (
        <Box title="A dialog" isWide={open === 'wide'} close={close}>
          <p>Escape closes it, and the focus returns to its button.</p>
        </Box>
      )}
      {open === 'form' && (
        <FormBox title="New fact" fields={NAME} submit="Create" close={close} send={() => Promise.resolve()} />
      )}
      {open === 'confirm' && (
        <Confirm
          title="Delete the fact"
          text="This cannot be undone."
          submit="Delete"
          close={close}
          send={() => Promise.resolve()}
        />
      )}
    </Sample>
  )
}

function Menus() {
  const [chosen, choose] = useState('down')
  const items = [
    { id: 'down', label: 'Down', icon: <Icon name="branch" />, run: () => choose('down') },
    { id: 'right', label: 'Right', icon: <Icon name="right" />, run: () => choose('right') },
  ]
  return (
    <Sample of="MenuButton PopoverButton" title="Menus">
      <div className="row wrap">
        <MenuButton
          className="btn"
          label="Direction"
          isNamedByContent
          button="Open a menu"
          groups={[
            { title: 'Direction', selected: chosen, items },
            {
              title: 'Help',
              items: [{ id: 'book', label: 'Documentation', icon: <Icon name="book" />, href: 'https://example.com' }],
            },
          ]}
        />
        <PopoverButton
          className="btn"
          label="Notices"
          isNamedByContent
          title="Notices"
          popoverClass="menu"
          button="Open a popover"
          content={(close) => (
            <button type="button" className="btn" onClick={close}>
              Close
            </button>
          )}
        />
      </div>
    </Sample>
  )
}

const CONDITION = 'cart_amount >= 300 && user.tier in ["gold", "vip"] && !is_null($score)'

function Texts() {
  return (
    <>
      <Sample of="Expression" title="Expression">
        <code>
          <Expression text={CONDITION} />
        </code>
        <code>
          <Expression text="cart_amount >=" />
        </code>
      </Sample>
      <Sample of="CodeBlock" title="Code">
        <CodeBlock label="A request" text={'curl -s localhost:8080/api/v1/rulesets\n'} />
      </Sample>
      <Sample of="ValueList" title="Values, also a long one">
        <ValueList values={{ age: 21, user: { tier: 'gold', countries: ['DE', 'FR', 'IT', 'ES'] } }} />
      </Sample>
      <Sample of="ChangeSides" title="Change: changed, added, removed">
        <ChangeSides path="/steps/0/condition" before="age >= 18" after="age >= 21" absent="none" />
        <ChangeSides path="/steps/0/name" before={undefined} after="Adult?" absent="none" />
        <ChangeSides path="/steps/0/result" before={{ limit: 500 }} after={null} absent="none" />
      </Sample>
    </>
  )
}

const HOUR_MS = 3_600_000
const BEGIN = Date.UTC(2026, 0, 5)
const TIMES = Array.from({ length: 24 }, (_, index) => BEGIN + index * HOUR_MS)
const wave = (height: number, shift: number) =>
  TIMES.map((_, index) => Math.round(height * (1 + Math.sin((index + shift) / 4))))

function Charts() {
  return (
    <>
      <Sample of="" title="Result codes with a chosen part">
        <ChosenPart />
      </Sample>
      <Sample of="EnvironmentName" title="Environments by weight">
        <EnvironmentName name="dev" weight="first" />
        <EnvironmentName name="staging" weight="middle" />
        <EnvironmentName name="prod" weight="last" />
      </Sample>
    </>
  )
}

/** A chart with a selectable range. */
function ChosenPart() {
  const [range, choose] = useState<readonly [number, number] | undefined>([6, 11])
  return (
    <TimeChart
      label="Result codes an hour"
      mark="bars"
      times={TIMES}
      series={['--c1', '--c2', '--c3'].map((color, index) => ({
        name: `CODE_${index + 1}`,
        color: `var(${color})`,
        values: wave(60 / (index + 1), index),
      }))}
      range={range}
      choose={choose}
    />
  )
}

const SHARES: Readonly<Record<string, { readonly count: number; readonly tone: 'bad' | 'warn' | 'ok' }>> = {
  'PRICED FREE': { count: 41, tone: 'warn' },
  'PRICED error:TYPE': { count: 0, tone: 'bad' },
  'FREE PRICED': { count: 3, tone: 'warn' },
  'FREE FREE': { count: 12, tone: 'ok' },
}

/** Changes of decisions as figures, a table and text. */
function Effects() {
  const [selected, select] = useState({ from: 'PRICED', to: 'FREE' })
  return (
    <>
      <Sample of="FigureList" title="Figures">
        <FigureList
          figures={[
            { label: 'Recorded decisions that change', value: '4.1 %', note: '41 of 1,000' },
            { label: 'Tests', value: '100 %', note: '11 of 11 pass', tone: 'ok' },
            { label: 'Findings', value: '2', tone: 'warn' },
            { label: 'Failed', value: '1', tone: 'bad' },
          ]}
        />
      </Sample>
      <Sample of="TransitionTable" title="Transitions">
        <TransitionTable
          name="How decisions change"
          before="Live"
          after="This release"
          results={['FREE', 'PRICED', 'error:TYPE']}
          kept={(result) => (result === 'FREE' ? 2610 : 0)}
          most={41}
          cell={(from, to) => SHARES[`${from} ${to}`]}
          head={(name) => <CodeTag name={name} isError={name.startsWith('error:')} />}
          label={(from, to, shown) => `${from} to ${to}: ${shown}`}
          possible="possible"
          selected={selected}
          select={(from, to) => select({ from, to })}
        />
      </Sample>
      <Sample of="TextDiff" title="Differences of texts">
        <TextDiff
          name="Differences of two drafts"
          before={'name: fee\nlimit: 20\ncode: FREE\n'}
          after={'name: fee\nlimit: 30\ncode: FREE\nnote: agreed\n'}
          words={{ added: 'added', removed: 'removed', same: 'The texts are the same.', tooMany: 'Too many.' }}
        />
        <TextDiff
          name="Equal texts"
          before="a"
          after="a"
          words={{ added: 'added', removed: 'removed', same: 'The texts are the same.', tooMany: 'Too many.' }}
        />
      </Sample>
    </>
  )
}
