import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useIds } from './route-scope.ts'

/** Tabs of the vocabulary of a project: facts, concepts and contracts. */
export function VocabularyTabs() {
  const { nav } = useTexts()
  const { oid, pid } = useIds()
  return (
    <Tabs
      label={nav.vocabulary}
      tabs={[
        { to: paths.facts(oid, pid), label: nav.facts },
        { to: paths.concepts(oid, pid), label: nav.concepts },
        { to: paths.contracts(oid, pid), label: nav.contracts },
      ]}
    />
  )
}

/** Tabs of the rulesets of a project, and of the deleted ones. */
export function RulesetTabs() {
  const { rulesets } = useTexts()
  const { oid, pid } = useIds()
  return (
    <Tabs
      label={rulesets.tabs}
      tabs={[
        { to: paths.rulesets(oid, pid), label: rulesets.current },
        { to: paths.deletedRulesets(oid, pid), label: rulesets.deleted },
      ]}
    />
  )
}

/** Tabs of the environments of a project, and of the release rules. */
export function EnvironmentTabs() {
  const { nav } = useTexts()
  const { oid, pid } = useIds()
  return (
    <Tabs
      label={nav.environments}
      tabs={[
        { to: paths.environments(oid, pid), label: nav.environments },
        { to: paths.policies(oid, pid), label: nav.pages.project.policies },
      ]}
    />
  )
}

/** Tabs of the sample requests of a project, its webhooks and its signing keys. */
export function IntegrationTabs() {
  const { nav } = useTexts()
  const { oid, pid } = useIds()
  return (
    <Tabs
      label={nav.integrate}
      tabs={[
        { to: paths.integrate(oid, pid), label: nav.integrate },
        { to: paths.webhooks(oid, pid), label: nav.pages.project.webhooks },
        { to: paths.signing(oid, pid), label: nav.pages.project.signing },
      ]}
    />
  )
}

/** Tabs of the people of an organization. */
export function PeopleTabs() {
  const { nav } = useTexts()
  const { oid } = useIds()
  return (
    <Tabs
      label={nav.people}
      tabs={[
        { to: paths.members(oid), label: nav.members },
        { to: paths.roles(oid), label: nav.roles },
        { to: paths.invitations(oid), label: nav.invitations },
      ]}
    />
  )
}
