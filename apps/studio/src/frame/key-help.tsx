import { useTexts } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { turnLetterKeys, useLetterKeys } from './letter-keys.ts'

/** A list of all keyboard shortcuts, and the switch for single-letter shortcuts. */
export function KeyHelp({ close }: { readonly close: () => void }) {
  const { keys, common, frame } = useTexts()
  const hasLetters = useLetterKeys()
  return (
    <Box title={keys.title} close={close}>
      <table className="list">
        <tbody>
          {keys.rows.map(([key, meaning]) => (
            <tr key={key + meaning}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label className="check">
        <input type="checkbox" checked={hasLetters} onChange={({ target }) => turnLetterKeys(target.checked)} />
        {frame.letterKeys}
      </label>
      <footer>
        <button type="button" className="btn" onClick={close}>
          {common.close}
        </button>
      </footer>
    </Box>
  )
}
