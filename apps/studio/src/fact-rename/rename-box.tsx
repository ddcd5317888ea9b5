import { useRef, useState } from 'react'
import type { components } from '../api/schema.ts'
import { useIds } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { Box } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { planRename, renameFact, type RenamePlan } from './rename.ts'
import { useFactRenameTexts } from './rename-texts.ts'

interface RenameBoxProps {
  readonly fact: components['schemas']['Fact']
  readonly close: () => void
}

/** Renames a fact, after a preview of the affected contracts, rulesets and tests. */
export function RenameBox({ fact, close }: RenameBoxProps) {
  const texts = useFactRenameTexts()
  const { facts } = usePageTexts()
  const scope = useIds()
  const [plan, setPlan] = useState<RenamePlan>()
  return (
    <Box title={texts.title(fact.name)} close={close}>
      {plan === undefined ? (
        <Form
          key="name"
          fields={[{ name: 'name', label: texts.name, hint: facts.nameHint }]}
          initial={{ name: fact.name }}
          submit={texts.preview}
          cancel={close}
          send={async ({ name }) => {
            if (name === fact.name) throw new Error(texts.sameName)
            setPlan(await planRename(scope, fact, name))
          }}
        />
      ) : (
        <Preview plan={plan} close={close} />
      )}
    </Box>
  )
}

/** All affected objects, and the button that renames the fact in them. */
function Preview({ plan, close }: { readonly plan: RenamePlan; readonly close: () => void }) {
  const texts = useFactRenameTexts()
  const { oid, pid } = useIds()
  const done = useRef(new Set<string>())
  const [isStopped, setStopped] = useState(false)
  const { fact, to, contracts, rulesets } = plan
  return (
    <Form
      fields={[]}
      submit={texts.submit(to)}
      cancel={close}
      send={async () => {
        try {
          await renameFact({ oid, pid }, plan, done.current)
        } catch (error) {
          setStopped(done.current.size > 0)
          throw error
        }
        close()
      }}
    >
      <p>{texts.intro(fact.name, to)}</p>
      {contracts.length + rulesets.length === 0 && <p className="muted">{texts.unused}</p>}
      {contracts.length > 0 && <h3>{texts.contracts}</h3>}
      <ul className="plain-list">
        {contracts.map(({ before, after }) => (
          <li key={after.name}>
            <b>{after.name}</b> <span className="muted">{texts.contract(before, after.version)}</span>
          </li>
        ))}
      </ul>
      {rulesets.length > 0 && <h3>{texts.rulesets}</h3>}
      <ul className="plain-list">
        {rulesets.map(({ name, places, tests }) => (
          <li key={name}>
            <b>{name}</b>{' '}
            <span className="muted">
              {places + tests.length === 0
                ? texts.onlyContract
                : [places > 0 && texts.places(places), tests.length > 0 && texts.tests(tests.length)]
                    .filter((one) => one !== false)
                    .join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {isStopped && (
        <p className="note" data-tone="warn">
          {texts.stopped}
        </p>
      )}
    </Form>
  )
}
