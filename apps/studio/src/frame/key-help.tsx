import { useTexts } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'

/** All keys in one list. */
export function KeyHelp({ close }: { readonly close: () => void }) {
  const { keys, common } = useTexts()
  return (
    <Box title={keys.title} close={close}>
      <table className="list">
        <tbody>
          {keys.rows.map(([key, meaning]) => (
            <tr key={key}>
              <td>
                <kbd>{key}</kbd>
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <footer>
        <button type="button" className="btn" onClick={close}>
          {common.close}
        </button>
      </footer>
    </Box>
  )
}
