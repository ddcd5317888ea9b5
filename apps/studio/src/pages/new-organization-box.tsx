import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { useGo } from '../ui/link.tsx'

interface NewOrganizationBoxProps {
  readonly title: string
  readonly close: () => void
  readonly make: (organization: {
    readonly name: string
    readonly description: string
  }) => Promise<{ readonly id: string }>
}

/** The form for a new organization; it opens the page of the organization. */
export function NewOrganizationBox({ title, close, make }: NewOrganizationBoxProps) {
  const { organizations: texts } = useTexts()
  const go = useGo()
  return (
    <FormBox
      title={title}
      close={close}
      fields={[
        { name: 'name', label: texts.name },
        { name: 'description', label: texts.description, isOptional: true },
      ]}
      submit={title}
      send={async ({ name, description }) => {
        const { id } = await make({ name, description })
        go(paths.organization(id))
      }}
    />
  )
}
