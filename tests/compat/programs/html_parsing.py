# SPDX-License-Identifier: Apache-2.0
from bs4 import BeautifulSoup
page = "<html><body><table><tr><td>1</td><td>2</td></tr></table><a href='/x'>link</a></body></html>"
soup = BeautifulSoup(page, "lxml")
print([cell.text for cell in soup.find_all("td")], soup.a["href"], soup.select_one("tr").prettify())
