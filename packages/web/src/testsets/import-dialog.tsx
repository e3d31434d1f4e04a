import { type ReactNode, useState } from 'react'
import type { JsonObject } from '../api/registry/registry.ts'
import { Choices } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import { RowsPreview } from './rows-preview.tsx'
import { TableInput } from './table-input.tsx'

interface ImportDialogProps {
  onClose: () => void
  onImport: (rows: readonly JsonObject[], replaces: boolean) => void
}

/** Takes the rows of a table into the sheet, after showing them. */
export function ImportDialog({ onClose, onImport }: ImportDialogProps): ReactNode {
  const [rows, setRows] = useState<readonly JsonObject[]>([])
  const [how, setHow] = useState<'append' | 'replace'>('append')
  return (
    <FormModal
      title="Import rows"
      isWide
      onClose={onClose}
      onSubmit={() => onImport(rows, how === 'replace')}
      submit="Import"
      isOff={rows.length === 0}
    >
      <TableInput onRead={setRows} />
      <Choices
        label="Rows"
        value={how}
        choices={[
          ['append', 'Add after the rows that are there'],
          ['replace', 'Replace them'],
        ]}
        onChange={setHow}
      />
      <RowsPreview rows={rows} />
    </FormModal>
  )
}
