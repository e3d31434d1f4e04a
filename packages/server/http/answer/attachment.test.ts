import { expect, test } from 'vitest'
import { attachment } from './attachment.ts'

test.each([
  ['cities', 'attachment; filename=cities.csv'],
  ['revision_019d', 'attachment; filename=revision_019d.csv'],
  ['my cities', "attachment; filename=my_cities.csv; filename*=UTF-8''my%20cities.csv"],
  ['Städte', "attachment; filename=St_dte.csv; filename*=UTF-8''St%C3%A4dte.csv"],
  ['../../etc/passwd', 'attachment; filename=.._.._etc_passwd.csv'],
  [
    'a"; filename=b\r\nx: y',
    `attachment; filename=a_filename_b_x_y.csv; filename*=UTF-8''a%22%3B%20filename%3Db_x%3A%20y.csv`,
  ],
  ['\ud800', expect.stringContaining('filename=_.csv')],
  [`${'x'.repeat(199)}🙂`, expect.stringMatching(/filename=x{199}_\.csv; filename\*=UTF-8''x{199}%EF%BF%BD\.csv$/)],
  ['x'.repeat(300), `attachment; filename=${'x'.repeat(200)}.csv`],
])('%j', (name, header) => {
  expect(attachment(name, 'csv')).toEqual(header)
})
