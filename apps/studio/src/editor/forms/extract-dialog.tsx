import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'

interface ExtractBoxProps {
  readonly extract: (name: string) => Promise<void>
  readonly close: () => void
}

/** A dialog that names the sub-rule extracted from the selected steps. */
export function ExtractBox({ extract, close }: ExtractBoxProps) {
  const { graph } = useTexts()
  return (
    <FormBox
      title={graph.extract}
      close={close}
      fields={[{ name: 'name', label: graph.subRuleName, hint: graph.extractHint }]}
      submit={graph.extract}
      send={async (values) => {
        await extract(values.name)
        close()
      }}
    />
  )
}
