package scenario

import (
	"encoding/json"
	"maps"
)

// Order is a typed argument object: ten fields, one of them an object.
type Order struct {
	OrderID  string   `json:"order_id" jsonschema:"order id"`
	Customer string   `json:"customer" jsonschema:"customer name"`
	Priority string   `json:"priority" jsonschema:"priority" enum:"low,normal,high"`
	Quantity int      `json:"quantity" jsonschema:"how many"`
	Price    float64  `json:"price" jsonschema:"unit price"`
	Express  bool     `json:"express" jsonschema:"express delivery"`
	Tags     []string `json:"tags" jsonschema:"tags"`
	Note     string   `json:"note,omitempty" jsonschema:"free text"`
	Address  Address  `json:"address" jsonschema:"where to"`
	Currency string   `json:"currency" jsonschema:"currency code"`
}

// Address is the object within an Order.
type Address struct {
	Street  string `json:"street" jsonschema:"street"`
	City    string `json:"city" jsonschema:"city"`
	Zip     string `json:"zip" jsonschema:"postal code"`
	Country string `json:"country" jsonschema:"country code"`
}

// OrderReply is what the order tool returns.
type OrderReply struct {
	Accepted bool `json:"accepted"`
}

// Place is the body of the order tool.
func Place(o Order) OrderReply { return OrderReply{Accepted: o.Quantity >= 0} }

// OrderSchema is the schema of Order with the bounds that an author would write
// down: for runtimes that take one, and for bare validators.
const OrderSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["order_id","customer","priority","quantity","price","express","tags","address","currency"],
  "properties": {
    "order_id": {"type":"string","pattern":"^ord-[0-9]+$","description":"order id"},
    "customer": {"type":"string","minLength":1,"maxLength":200,"description":"customer name"},
    "priority": {"type":"string","enum":["low","normal","high"]},
    "quantity": {"type":"integer","minimum":1,"maximum":1000},
    "price": {"type":"number","minimum":0},
    "express": {"type":"boolean"},
    "tags": {"type":"array","items":{"type":"string"},"maxItems":16},
    "note": {"type":"string"},
    "currency": {"type":"string","minLength":3,"maxLength":3},
    "address": {
      "type":"object",
      "additionalProperties": false,
      "required": ["street","city","zip","country"],
      "properties": {
        "street": {"type":"string"},
        "city": {"type":"string"},
        "zip": {"type":"string"},
        "country": {"type":"string","minLength":2,"maxLength":2}
      }
    }
  }
}`

// OrderArgs are arguments that fit OrderSchema: 273 bytes.
const OrderArgs = `{"order_id":"ord-20931","customer":"Ada Example","priority":"normal","quantity":12,"price":19.95,"express":true,"tags":["fragile","gift","eu"],"note":"Leave at the door.","currency":"EUR","address":{"street":"1 Long Street","city":"Utrecht","zip":"3511 AB","country":"NL"}}`

// A BadOrder is arguments that do not fit OrderSchema.
type BadOrder struct {
	Name string // what is wrong
	Args string
}

// BadOrders are what a runtime should refuse before its tool runs.
func BadOrders() []BadOrder {
	return []BadOrder{
		{"not JSON", `{"order_id":"ord-1",`},
		{"missing required", edited("order_id", nil)},
		{"wrong type", edited("quantity", []byte(`"twelve"`))},
		{"string for number", edited("quantity", []byte(`"12"`))},
		{"float for integer", edited("quantity", []byte(`1.5`))},
		{"unknown property", edited("surprise", []byte(`1`))},
		{"nested missing", editedAddress("zip", nil)},
		{"nested wrong type", editedAddress("zip", []byte(`3511`))},
		{"nested unknown", editedAddress("planet", []byte(`"Earth"`))},
		{"enum", edited("priority", []byte(`"urgent!!"`))},
		{"range", edited("quantity", []byte(`0`))},
		{"pattern", edited("order_id", []byte(`"20931"`))},
		{"array item type", edited("tags", []byte(`["a",2]`))},
	}
}

// edited is OrderArgs with one member replaced, or left out if value is nil.
func edited(name string, value []byte) string { return edit([]byte(OrderArgs), name, value) }

func editedAddress(name string, value []byte) string {
	var order map[string]json.RawMessage
	must(json.Unmarshal([]byte(OrderArgs), &order))
	return edited("address", []byte(edit(order["address"], name, value)))
}

func edit(object []byte, name string, value []byte) string {
	var members map[string]json.RawMessage
	must(json.Unmarshal(object, &members))
	if value == nil {
		maps.DeleteFunc(members, func(k string, _ json.RawMessage) bool { return k == name })
	} else {
		members[name] = value
	}
	b, err := json.Marshal(members)
	must(err)
	return string(b)
}

// must is for constants of this package: an error is a mistake in them.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
