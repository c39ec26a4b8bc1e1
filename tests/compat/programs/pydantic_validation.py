# SPDX-License-Identifier: Apache-2.0
from pydantic import BaseModel, Field, ValidationError

class Order(BaseModel):
    id: int
    items: list[str] = Field(min_length=1)

print(Order(id="7", items=["x"]).model_dump_json())
try:
    Order(id="seven", items=[])
except ValidationError as e:
    print(e.error_count(), [error["type"] for error in e.errors()])
